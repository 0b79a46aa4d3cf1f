import { createHash } from 'node:crypto';

/** The idempotency key of a call: the same for every attempt, in every process, and for no other call. */
export function callKey(
  threadId: string,
  runId: string,
  step: number,
  index: number,
  tool: string,
  args: string,
): string {
  return createHash('sha256')
    .update(JSON.stringify([threadId, runId, step, index, tool, args]))
    .digest('base64url')
    .slice(0, 22);
}

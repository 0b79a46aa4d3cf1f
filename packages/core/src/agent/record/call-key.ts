import { createHash } from 'node:crypto';
import type { OpenCall } from '../../state/schema.ts';

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

/**
 * What a decision names: a call and what is asked of it. Whether it may run and what became of it are two questions, so
 * that who answers the one has not answered the other.
 */
export function questionKey({ key, waits_for }: Pick<OpenCall, 'key' | 'waits_for'>): string {
  return waits_for === 'outcome' ? outcomeKey(key) : key;
}

/** Whether the key names that call, with whatever question. */
export function namesCall(key: string, call: Pick<OpenCall, 'key'>): boolean {
  return key === call.key || key === outcomeKey(call.key);
}

const outcomeKey = (key: string): string => `${key}.outcome`;

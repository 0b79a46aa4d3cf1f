import { AgentStateError } from '../protocol/errors.ts';
import { assertKnown } from '../protocol/options.ts';

export interface CloseOptions {
  /** How long it may take, in milliseconds. */
  readonly deadlineMs?: number;
}

/** How long a close may take, or a `configuration` error. */
export function closeDeadline(options: CloseOptions, defaultMs: number): number {
  assertKnown(options, { deadlineMs: true });
  const { deadlineMs = defaultMs } = options;
  assertDeadline(deadlineMs);
  return deadlineMs;
}

export function assertDeadline(deadlineMs: unknown): void {
  if (typeof deadlineMs === 'number' && deadlineMs >= 0) return;
  throw new AgentStateError('configuration', 'deadlineMs has to be a number, 0 or more.', { path: 'deadlineMs' });
}

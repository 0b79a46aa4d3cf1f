import { AgentStateError } from '../protocol/errors.ts';
import { assertKnownArguments, type OptionFault } from '../protocol/options.ts';

export interface CloseOptions {
  /** How long it may take, in milliseconds. */
  readonly deadlineMs?: number;
}

/** How long a close may take, or an `invalid_argument` error. */
export function closeDeadline(options: CloseOptions, defaultMs: number): number {
  assertKnownArguments(options, { deadlineMs: true });
  const { deadlineMs = defaultMs } = options;
  assertDeadline(deadlineMs, 'invalid_argument');
  return deadlineMs;
}

export function assertDeadline(deadlineMs: unknown, code: OptionFault): void {
  if (typeof deadlineMs === 'number' && deadlineMs >= 0) return;
  throw new AgentStateError(code, 'deadlineMs has to be a number, 0 or more.', { path: 'deadlineMs' });
}

import type { ConflictState } from './position.ts';

/** Stable within a major version. What each means is said where it is thrown; `docs/protocol.md` lists them all. */
export type ErrorCode =
  | 'unavailable'
  | 'conflict'
  | 'deleted'
  | 'too_large'
  | 'denied'
  | 'corrupt'
  | 'schema_too_new'
  | 'not_serializable'
  | 'invalid_state'
  | 'invalid_thread_id'
  | 'invalid_argument'
  | 'unsupported'
  | 'closed'
  | 'not_found'
  | 'configuration'
  | 'taken_over'
  | 'busy'
  | 'paused'
  | 'superseded'
  | 'max_attempts'
  | 'max_iterations'
  | 'max_execution_time'
  | 'aborted'
  | 'model';

export interface ErrorDetails {
  /** The thread that the call was about. */
  readonly threadId?: string;
  /** Where in the state, setting or request the fault is, as in `variables.order.placed_at`. Never a value. */
  readonly path?: string;
  /** For `unavailable`: whether the write may have reached the store. */
  readonly applied?: 'no' | 'maybe';
  /** For `conflict`: what is stored now; null where nothing is. */
  readonly current?: ConflictState | null;
  /** For `too_large`: the limit, in bytes, and what was asked for. */
  readonly limitBytes?: number;
  readonly actualBytes?: number;
  /**
   * For `taken_over`: the thread under which the steps are kept that could not be stored in this one. For `unavailable`:
   * the fork that was asked for, where it may be there.
   */
  readonly forkId?: string;
  /** For `model`: whether the same request may succeed if it is made again at once. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

const marker = Symbol.for('agent-state.error');

/**
 * The one error class of Agent State. Recognise it with {@link isAgentStateError}, which also knows errors made by
 * another copy of this package. No message, field or cause shows state content or a secret.
 */
export class AgentStateError extends Error {
  override readonly name = 'AgentStateError';
  readonly code: ErrorCode;
  // Only those that were given are there, so that a printed error shows no empty fields.
  declare readonly threadId?: string;
  declare readonly path?: string;
  declare readonly applied?: 'no' | 'maybe';
  declare readonly current?: ConflictState | null;
  declare readonly limitBytes?: number;
  declare readonly actualBytes?: number;
  declare readonly forkId?: string;
  declare readonly retryable?: boolean;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const { cause, ...fields } = details;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    Object.assign(this, fields);
  }

  get [marker](): true {
    return true;
  }
}

/** Whether `value` is an {@link AgentStateError}, of `code` where one is given. */
export function isAgentStateError<Code extends ErrorCode>(
  value: unknown,
  code?: Code,
): value is AgentStateError & { readonly code: Code } {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return marker in value && (code === undefined || (value as AgentStateError).code === code);
  } catch {
    // A proxy may throw whatever it is asked; it is not one of ours.
    return false;
  }
}

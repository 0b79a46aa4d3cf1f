import { AgentStateError } from '../../protocol/errors.ts';
import type { PauseRequest } from '../../state/schema.ts';
import { toWakeTime } from '../../state/wake-time.ts';

/** Why a run is to pause, and until when. */
export interface PauseOptions {
  readonly wakeAt?: Date | undefined;
  /** For people; stored with the thread. */
  readonly reason?: string | undefined;
}

const maxReasonLength = 10_000;

/** As it is stored. Throws `invalid_argument`. */
export function pauseRequest({ wakeAt, reason }: PauseOptions): PauseRequest {
  const wake_at = wakeAt instanceof Date ? toWakeTime(wakeAt.getTime()) : undefined;
  if (wakeAt !== undefined && wake_at === undefined) {
    throw new AgentStateError('invalid_argument', 'wakeAt has to be a Date up to the year 9999.', { path: 'wakeAt' });
  }
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > maxReasonLength)) {
    const message = `reason has to be text of at most ${maxReasonLength} characters.`;
    throw new AgentStateError('invalid_argument', message, { path: 'reason' });
  }
  return {
    ...(wake_at === undefined ? {} : { wake_at }),
    ...(reason === undefined ? {} : { reason: reason.toWellFormed() }),
  };
}

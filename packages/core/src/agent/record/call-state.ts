import type { OpenCall } from '../../state/schema.ts';

/** What is known of an open call, from what is stored of it alone. */

/** Whether a person has to say something before anything becomes of the call. */
export function isWaiting({ waits_for, decision, result }: OpenCall): boolean {
  return waits_for !== undefined && decision === undefined && result === undefined;
}

/**
 * Whether a call that has no result may have run. Saying `planned` of a call that can run twice would cost a write, so
 * only `once` tools are marked before they start.
 */
export function mayHaveStarted(call: OpenCall): boolean {
  return call.attempt > 0 || call.status === 'started' || (call.effect !== 'once' && isCleared(call));
}

/** Whether no person has to be waited for before the call runs. */
export function isCleared({ waits_for, decision }: OpenCall): boolean {
  return waits_for === undefined || decision?.verdict === 'approve';
}

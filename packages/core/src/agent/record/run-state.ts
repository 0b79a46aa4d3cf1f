import type { PreviousRun, RunRecord } from '../../state/schema.ts';
import { isWaiting } from './call-state.ts';

/** What is known of a run, from its record alone. */

/** Whether somebody may still go on with it. */
export function isOpen({ phase }: RunRecord): boolean {
  return phase === 'think' || phase === 'act' || phase === 'paused';
}

/** What became of the run; of one that is open, what a new input would make of it. */
export function outcomeOf(run: RunRecord): PreviousRun {
  const { id, input_id, phase, error } = run;
  const ended = phase === 'failed' || phase === 'cancelled' ? phase : 'done';
  return { input_id, run_id: id, outcome: isOpen(run) ? 'superseded' : ended, ...(error ? { code: error.code } : {}) };
}

/** Whether a decision on its calls would still be heard: they are to be run, and the run has not ended. */
export function takesDecisions(run: RunRecord): boolean {
  return run.settle === null && isOpen(run);
}

/** Whether a resume finds nothing to do: every open call still waits for a person. */
export function waitsForPerson({ phase, pause, calls, settle }: RunRecord): boolean {
  // Calls that are settled without being run wait for nobody.
  if (settle !== null) return false;
  const open = calls.filter((call) => !call.result);
  return phase === 'paused' && pause?.kind === 'person' && open.length > 0 && open.every(isWaiting);
}

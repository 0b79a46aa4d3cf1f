import type { PreviousRun, RunRecord, ThreadState } from '../../state/schema.ts';
import { earlierRun, isKnown } from './inputs.ts';
import { isOpen, outcomeOf, waitsForPerson } from './run-state.ts';

/** The run that is begun, or gone on with. */
export type Claiming =
  /** A run of its own; `reject`: over a paused one, whose waiting calls are answered as rejected. */
  | { readonly kind: 'start'; readonly settle?: 'reject' }
  /** The run that is open is this input's, or is resumed: it goes on under a new owner. */
  | { readonly kind: 'continue' }
  /** This input's run failed or was cancelled, and is wanted again. */
  | { readonly kind: 'retry' };

/** What to do about an input, or a resume, on what is there of the thread. */
export type Arrival =
  | Claiming
  /** Another process works on the thread, or died while it did; `meant` once it is silent. */
  | { readonly kind: 'busy'; readonly meant: Claiming }
  /** Nothing to do: this input's run, or the resumed one, has ended. */
  | { readonly kind: 'ended'; readonly run: PreviousRun }
  /** Nothing to do before somebody decides or resumes; `own`: it is this input's run that is paused. */
  | { readonly kind: 'paused'; readonly own: boolean };

export interface Input {
  readonly inputId: string;
  readonly retry: boolean;
  readonly onPaused: 'throw' | 'reject';
}

/** An input is accepted once: what comes again gets what became of it, also after later inputs. */
export function arrivalOfInput(state: ThreadState, { inputId, retry, onPaused }: Input, me: string): Arrival {
  const { run } = state;
  const known = isKnown(state, inputId);
  if (!run) return known ? { kind: 'ended', run: earlierRun(state, inputId) } : { kind: 'start' };
  if (known && run.input_id !== inputId) return { kind: 'ended', run: earlierRun(state, inputId) };
  if (known && !isOpen(run)) {
    const again = retry && run.phase !== 'done';
    return again ? { kind: 'retry' } : { kind: 'ended', run: outcomeOf(run) };
  }
  if (run.phase === 'paused' && (known || onPaused === 'throw')) return { kind: 'paused', own: known };
  const arrival: Claiming =
    run.phase === 'paused' ? { kind: 'start', settle: 'reject' } : { kind: known ? 'continue' : 'start' };
  return isBusy(run, me) ? { kind: 'busy', meant: arrival } : arrival;
}

export function arrivalOfResume(run: RunRecord, me: string): Arrival {
  if (!isOpen(run)) return { kind: 'ended', run: outcomeOf(run) };
  if (waitsForPerson(run)) return { kind: 'paused', own: true };
  return isBusy(run, me) ? { kind: 'busy', meant: { kind: 'continue' } } : { kind: 'continue' };
}

function isBusy(run: RunRecord, me: string): boolean {
  return isOpen(run) && run.owner !== null && run.owner !== me;
}

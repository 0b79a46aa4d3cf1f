import type { OpenCall, RunRecord, ThreadState } from '../state/schema.ts';

/** What a run has to do next, from what is stored alone: the resume table as a function. */
export type NextStep =
  | { readonly kind: 'think' }
  /** Run those calls; with none left, the results become messages. */
  | { readonly kind: 'act'; readonly calls: readonly OpenCall[] }
  /** Answer the calls without running them. */
  | { readonly kind: 'settle'; readonly calls: readonly OpenCall[] }
  /** Nothing, until a person has said something on those calls. */
  | { readonly kind: 'ask'; readonly calls: readonly OpenCall[] }
  | { readonly kind: 'end' };

export function nextStep(state: ThreadState): NextStep {
  const { run } = state;
  if (!run || (run.phase !== 'think' && run.phase !== 'act')) return { kind: 'end' };
  if (run.calls.length === 0) return { kind: 'think' };
  const open = run.calls.filter((call) => !call.result);
  if (run.settle !== null) return { kind: 'settle', calls: open };
  const ready = open.filter((call) => !isWaiting(call));
  if (ready.length === 0 && open.length > 0) return { kind: 'ask', calls: open };
  return { kind: 'act', calls: ready };
}

/** Whether a decision on its calls would still be heard: they are to be run, and the run has not ended. */
export function takesDecisions({ phase, settle }: RunRecord): boolean {
  return settle === null && (phase === 'think' || phase === 'act' || phase === 'paused');
}

/** Whether a person has to say something before anything becomes of the call. */
export function isWaiting({ waits_for, decision, result }: OpenCall): boolean {
  return waits_for !== undefined && decision === undefined && result === undefined;
}

/** Whether a resume finds nothing to do: every open call still waits for a person. */
export function waitsForPerson({ phase, pause, calls, settle }: RunRecord): boolean {
  // Calls that are settled without being run wait for nobody.
  if (settle !== null) return false;
  const open = calls.filter((call) => !call.result);
  return phase === 'paused' && pause?.kind === 'person' && open.length > 0 && open.every(isWaiting);
}

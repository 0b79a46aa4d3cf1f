import type { OpenCall, ThreadState } from '../state/schema.ts';

/** What a run has to do next, from what is stored alone: the resume table as a function. */
export type NextStep =
  | { readonly kind: 'think' }
  /** Run those calls that have no result; with none left, the results become messages. */
  | { readonly kind: 'act'; readonly calls: readonly OpenCall[] }
  /** Answer the calls without running them. */
  | { readonly kind: 'settle'; readonly calls: readonly OpenCall[] }
  | { readonly kind: 'end' };

export function nextStep(state: ThreadState): NextStep {
  const { run } = state;
  if (!run || run.phase === 'done' || run.phase === 'failed' || run.phase === 'cancelled' || run.phase === 'idle') {
    return { kind: 'end' };
  }
  if (run.calls.length === 0) return { kind: 'think' };
  return { kind: run.settle === 'none' ? 'settle' : 'act', calls: run.calls.filter((call) => !call.result) };
}

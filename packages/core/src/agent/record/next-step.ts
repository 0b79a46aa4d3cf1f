import type { OpenCall, ThreadState } from '../../state/schema.ts';
import { isWaiting } from './call-state.ts';

/** What a run has to do next, from what is stored alone: the resume table as a function. */
export type NextStep =
  | { readonly kind: 'think' }
  /** Run those calls; with none left, the results become messages. */
  | { readonly kind: 'act'; readonly calls: readonly OpenCall[] }
  /** Answer the calls without running them. */
  | { readonly kind: 'settle'; readonly calls: readonly OpenCall[] }
  /** Nothing, until a person has said something on the calls that are left. */
  | { readonly kind: 'ask' }
  | { readonly kind: 'end' };

export function nextStep(state: ThreadState): NextStep {
  const { run } = state;
  if (!run || (run.phase !== 'think' && run.phase !== 'act')) return { kind: 'end' };
  if (run.calls.length === 0) return { kind: 'think' };
  const open = run.calls.filter((call) => !call.result);
  if (run.settle !== null) return { kind: 'settle', calls: open };
  const ready = open.filter((call) => !isWaiting(call));
  if (ready.length === 0 && open.length > 0) return { kind: 'ask' };
  return { kind: 'act', calls: ready };
}

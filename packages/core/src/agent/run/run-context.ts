import type { Model } from '../../model/model.ts';
import type { Runtime } from '../../protocol/runtime.ts';
import type { StepRecord, ThreadState } from '../../state/schema.ts';
import type { AgentEvent } from '../events.ts';
import { firstVariables } from '../record/step-record.ts';
import { worked } from '../record/transitions.ts';
import { type Hold, isStored, update } from '../saving/hold.ts';
import type { StandardSchema } from '../standard-schema.ts';
import type { Tool } from '../tool.ts';
import type { HistoryView } from '../view.ts';

/** What limits a run. */
export interface RunLimits {
  readonly maxIterations: number;
  readonly maxExecutionTimeSeconds: number;
  /** How often a process may die, or be taken over, in the same Think or call before it is given up. */
  readonly maxAttempts: number;
  /** How many tools of one turn run at the same time. */
  readonly toolConcurrency: number;
  readonly maxMessageBytes: number;
}

/** One run at work on a hold. */
export interface RunContext {
  readonly hold: Hold;
  readonly model: Model;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly variables: StandardSchema<object> | undefined;
  readonly systemPrompt: string | undefined;
  readonly limits: RunLimits;
  readonly runtime: Runtime;
  readonly view: HistoryView | undefined;
  readonly signal: AbortSignal;
  /** As `signal`, and by a pause. */
  readonly thinking: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  readonly onText: ((text: string) => void) | undefined;
  /** Whether there is a store at all. */
  readonly stores: boolean;
  /** Saves all changes; whether the store acknowledged them. */
  readonly save: () => Promise<boolean>;
  /** The keys of the calls whose tools were asked here whether a person has to approve them. */
  readonly asked: Set<string>;
  /** When the working time was last counted, on the monotonic clock. */
  countedAt: number;
}

/** Moves the thread on, and counts the working time since the last move. */
export function advance(run: RunContext, change: (state: ThreadState) => ThreadState): void {
  const now = run.runtime.monotonic();
  const elapsed = Math.max(0, now - run.countedAt);
  run.countedAt = now;
  update(run.hold, (state) => change(worked(state, Math.round(elapsed))));
}

/** Notes the step that `advance` has just made. */
export function noteStep(
  run: RunContext,
  phase: StepRecord['phase'],
  extra: Pick<StepRecord, 'usage' | 'variables'>,
): void {
  const { hold } = run;
  const { state, steps } = hold;
  const recorded = steps.length + (isStored(hold) ? hold.base.steps : 0);
  steps.push({
    step: state.current_step,
    phase,
    at: new Date(run.runtime.now()).toISOString(),
    run_id: state.run?.id ?? '',
    history_length: state.history.length,
    ...firstVariables(recorded, state.variables),
    ...extra,
  });
}

/** Whether somebody paused or cancelled the run: nothing new is begun. */
export function isInterrupted({ hold }: RunContext): boolean {
  const phase = hold.state.run?.phase;
  return hold.stopped !== undefined || phase === 'paused' || phase === 'cancelled';
}

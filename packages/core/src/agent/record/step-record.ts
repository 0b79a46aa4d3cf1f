import type { JsonObject } from '../../state/json.ts';
import type { StepRecord, ThreadState } from '../../state/schema.ts';

/** A step record as it is made; the store adds where it stands. */
export type StepDraft = Omit<StepRecord, 'revision' | 'generation'>;

/**
 * What a thread's first step record says of variables, where there are any, whether the step changed them or not: later
 * records tell changes alone, so what was there before would be known from nowhere. `recorded`: the records so far.
 */
export function firstVariables(recorded: number, variables: JsonObject): Pick<StepRecord, 'variables'> {
  return recorded === 0 && Object.keys(variables).length > 0 ? { variables } : {};
}

/** The step record with which a fork begins: what it has of variables comes from nowhere else. */
export function beginningOf({ current_step, updated_at, variables, history }: ThreadState): StepDraft {
  const about = { step: current_step, phase: 'rewrite', at: updated_at, run_id: '', reason: 'fork' } as const;
  return { ...about, history_length: history.length, variables };
}

import type { JsonObject } from '../../state/json.ts';
import type { StepRecord } from '../../state/schema.ts';

/**
 * What a thread's first step record says of variables, where there are any, whether the step changed them or not: later
 * records tell changes alone, so what was there before would be known from nowhere. `recorded`: the records so far.
 */
export function firstVariables(recorded: number, variables: JsonObject): Pick<StepRecord, 'variables'> {
  return recorded === 0 && Object.keys(variables).length > 0 ? { variables } : {};
}

import { assertCheckpointer } from '../protocol/assert-checkpointer.ts';
import { AgentStateError } from '../protocol/errors.ts';
import { assertKnown, assertOneOf } from '../protocol/options.ts';
import { type AgentFactoryOptions, factoryOptions } from './options.ts';
import { assertProfile } from './profile.ts';
import { isStandardSchema } from './standard-schema.ts';

/** Throws `configuration`, with the path of the first option that is not what it has to be. */
export function assertFactoryOptions(options: AgentFactoryOptions): void {
  assertKnown(options, factoryOptions);
  const { checkpointer, view, onEvent, variables } = options;
  for (const [key, profile] of entriesOf(options.profiles, 'profiles')) assertProfile(profile, `profiles.${key}`);
  for (const [key, model] of entriesOf(options.models, 'models')) assertModel(model, `models.${key}`);
  if (checkpointer !== undefined) assertCheckpointer(checkpointer);
  assertOneOf(options.enabled, [true, false], 'enabled');
  assertOneOf(options.onBusy, ['wait', 'takeOver', 'throw'], 'onBusy');
  assertOneOf(options.onStoreDown, ['volatile', 'wait', 'throw'], 'onStoreDown');
  assertOneOf(options.onVanished, ['restore', 'stop'], 'onVanished');
  assertOneOf(options.allowOnceWithoutConditional, [true, false], 'allowOnceWithoutConditional');
  assertOneOf(options.systemPrompt, ['current', 'stored'], 'systemPrompt');
  for (const [path, given] of Object.entries({ view, onEvent })) {
    if (given !== undefined && typeof given !== 'function') throw configuration(`${path} has to be a function.`, path);
  }
  if (variables !== undefined && !isStandardSchema(variables)) {
    throw configuration('variables has to be a Standard Schema.', 'variables');
  }
}

function entriesOf(given: object, path: string): [string, unknown][] {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return Object.entries(given);
  throw configuration(`${path} has to be an object: ${path} by name.`, path);
}

function assertModel(model: unknown, path: string): void {
  if (typeof model === 'object' && model !== null && 'generate' in model && typeof model.generate === 'function')
    return;
  throw configuration(`${path} is no model: a model is { name, generate }, and generate a function.`, path);
}

function configuration(message: string, path: string): AgentStateError {
  return new AgentStateError('configuration', message, { path });
}

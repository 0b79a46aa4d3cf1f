import type { Model } from '../model/model.ts';
import { defaultMaxMessageBytes } from '../protocol/capabilities.ts';
import { AgentStateError } from '../protocol/errors.ts';
import type { AgentFactoryOptions } from './options.ts';
import type { AgentProfile } from './profile.ts';
import type { RunLimits } from './run/run-context.ts';
import type { Tool } from './tool.ts';

/** What an agent is made of, chosen by names; a `configuration` error says which of them there is not. */

export function profileOf(
  { enabled = true, profiles, defaultProfile }: AgentFactoryOptions,
  name = defaultProfile,
): AgentProfile {
  if (!enabled) throw configuration('Agents are disabled in the settings.', 'ai.agents.enabled');
  if (name === undefined) throw configuration('No profile was named and there is no default profile.', 'profile');
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile) return profile;
  const known = Object.keys(profiles).join(', ');
  throw configuration(
    `There is no profile ${JSON.stringify(name)}; known: ${known === '' ? 'none' : known}.`,
    'profile',
  );
}

export function modelOf({ models, defaultModel }: AgentFactoryOptions, profile: AgentProfile): Model {
  const name = profile.connectionName ?? defaultModel;
  const model = name !== undefined && Object.hasOwn(models, name) ? models[name] : undefined;
  if (model) return model;
  const said =
    name === undefined
      ? 'names no model and there is no default one'
      : `names the model ${JSON.stringify(name)}, which does not exist`;
  throw configuration(`The profile ${JSON.stringify(profile.name)} ${said}.`, 'models');
}

export function toolsOf(profile: AgentProfile, registry: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool> {
  return new Map(
    (profile.tools ?? []).map((name) => {
      const tool = registry.get(name);
      if (tool) return [name, tool];
      throw configuration(
        `The profile ${JSON.stringify(profile.name)} names the tool ${JSON.stringify(name)}, which is not registered.`,
        'tools',
      );
    }),
  );
}

/** What a tool needs and the agent's store lacks is said before anything runs. */
export function toolsFor(
  { checkpointer, allowOnceWithoutConditional = false }: AgentFactoryOptions,
  tools: ReadonlyMap<string, Tool>,
  persistent: boolean,
): ReadonlyMap<string, Tool> {
  const startsTwice = !checkpointer?.capabilities.conditional && !allowOnceWithoutConditional;
  for (const tool of tools.values()) {
    const fault = persistent ? startsTwice && faultWhereTwoStart(tool) : faultWithoutStore(tool);
    if (fault) throw configuration(`The tool ${JSON.stringify(tool.name)} ${fault}.`, 'tools');
  }
  return tools;
}

/** Nobody could be asked, and nobody could answer. */
function faultWithoutStore({ needsApproval, onUnknown }: Tool): string | undefined {
  const noWait = 'an agent without a store cannot wait for a person';
  if (needsApproval !== undefined && needsApproval !== false) return `needs approval; ${noWait}`;
  return onUnknown === 'pause' ? `has onUnknown 'pause'; ${noWait}` : undefined;
}

function faultWhereTwoStart({ effect }: Tool): string | undefined {
  const why = 'this store cannot keep two processes from starting it both';
  return effect === 'once' ? `has effect 'once', and ${why}` : undefined;
}

export function limitsOf(
  { toolConcurrency = 8, maxAttempts = 3, checkpointer }: AgentFactoryOptions,
  profile: AgentProfile,
): RunLimits {
  const { maxIterations = 10, maxExecutionTimeSeconds = 60 } = profile;
  for (const [path, value] of Object.entries({ toolConcurrency, maxAttempts, maxIterations })) {
    if (!(Number.isSafeInteger(value) && value > 0))
      throw configuration(`${path} has to be a whole number above 0.`, path);
  }
  if (typeof maxExecutionTimeSeconds !== 'number' || !(maxExecutionTimeSeconds > 0)) {
    throw configuration('maxExecutionTimeSeconds has to be a number above 0.', 'maxExecutionTimeSeconds');
  }
  const numbers = { toolConcurrency, maxAttempts, maxIterations, maxExecutionTimeSeconds };
  return { ...numbers, maxMessageBytes: checkpointer?.capabilities.maxMessageBytes ?? defaultMaxMessageBytes };
}

function configuration(message: string, path: string): AgentStateError {
  return new AgentStateError('configuration', message, { path });
}

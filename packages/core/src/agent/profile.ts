import { AgentStateError } from '../protocol/errors.ts';
import { assertKnown, type KnownOptions } from '../protocol/options.ts';

/** An agent as a settings file describes it. */
export interface AgentProfile {
  readonly name: string;
  readonly description?: string;
  readonly systemPrompt?: string;
  /** The model connection; default: the factory's default one. */
  readonly connectionName?: string;
  /** Think steps a run may take; default 10. */
  readonly maxIterations?: number;
  /** Working time a run may take, in seconds, pauses not counted; default 60. */
  readonly maxExecutionTimeSeconds?: number;
  /** Names in the tool registry; default none. */
  readonly tools?: readonly string[];
}

const profileOptions: KnownOptions<AgentProfile> = {
  name: true,
  description: true,
  systemPrompt: true,
  connectionName: true,
  maxIterations: true,
  maxExecutionTimeSeconds: true,
  tools: true,
};

const isText = (value: unknown): value is string => typeof value === 'string';

/** Throws `configuration` for what is no profile; whether its tools and its model are there is another question. */
export function assertProfile(given: unknown, path: string): void {
  const profile = given as AgentProfile;
  assertKnown(profile, profileOptions, path);
  const { name, description = '', systemPrompt = '', connectionName = '', tools = [] } = profile;
  for (const [key, value] of Object.entries({ name, description, systemPrompt, connectionName })) {
    if (!isText(value)) throw fault(`${path}.${key}`, 'text');
  }
  if (!Array.isArray(tools) || !tools.every(isText)) throw fault(`${path}.tools`, 'an array of names');
}

function fault(path: string, expected: string): AgentStateError {
  return new AgentStateError('configuration', `${path} has to be ${expected}.`, { path });
}

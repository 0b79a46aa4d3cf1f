import { AgentStateError } from './errors.ts';

/** Every option that there is, by name: the compiler tells when one is missing. */
export type KnownOptions<Options> = Readonly<Record<keyof Options, true>>;

/** Throws `configuration` for an option that there is not: a misspelt one would mean its default, without a word. */
export function assertKnown<Options extends object>(options: Options, known: KnownOptions<Options>): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const message = `There is no option ${unknown}; known are ${Object.keys(known).join(', ')}.`;
  throw new AgentStateError('configuration', message, { path: unknown });
}

import { AgentStateError } from './errors.ts';

/** Every option that there is, by name: the compiler tells when one is missing. */
export type KnownOptions<Options> = Readonly<Record<keyof Options, true>>;

/** Throws `configuration` for an option that there is not: a misspelt one would mean its default, without a word. */
export function assertKnown<Options extends object>(options: Options, known: KnownOptions<Options>): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const message = `Expected an object with options; known are ${Object.keys(known).join(', ')}.`;
    throw new AgentStateError('configuration', message);
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const message = `There is no option ${unknown}; known are ${Object.keys(known).join(', ')}.`;
  throw new AgentStateError('configuration', message, { path: unknown });
}

/** Throws `configuration` for a value that is none of those: a misspelt one would mean another, without a word. */
export function assertOneOf<Value>(value: Value | undefined, allowed: readonly Value[], path: string): void {
  if (value === undefined || allowed.includes(value)) return;
  throw new AgentStateError('configuration', `${path} has to be one of ${allowed.join(', ')}.`, { path });
}

/** Throws `invalid_argument` for what is no whole number from 1 on. */
export function assertFromOne(value: unknown, path: string): void {
  if (Number.isSafeInteger(value) && (value as number) > 0) return;
  throw new AgentStateError('invalid_argument', `${path} has to be a whole number from 1 on.`, { path });
}

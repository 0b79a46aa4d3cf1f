import { AgentStateError } from './errors.ts';

/** Every option that there is, by name: the compiler tells when one is missing. */
export type KnownOptions<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Whose fault a wrong option is: of what something is made with, or of what a single call is asked with. The latter is
 * an argument like the others of that call.
 */
export type OptionFault = 'configuration' | 'invalid_argument';

/**
 * Throws `configuration` for an option that there is not: a misspelt one would mean its default, without a word. `at`:
 * where the options stand, as in `profiles.support`.
 */
export function assertKnown<Options extends object>(options: Options, known: KnownOptions<Options>, at?: string): void {
  assertNames('configuration', options, known, at);
}

/** As `assertKnown`, for the options of a single call: throws `invalid_argument`. */
export function assertKnownArguments<Options extends object>(options: Options, known: KnownOptions<Options>): void {
  assertNames('invalid_argument', options, known);
}

function assertNames(code: OptionFault, options: object, known: Readonly<Record<string, true>>, at?: string): void {
  const names = Object.keys(known).join(', ');
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const path = at ?? 'options';
    throw new AgentStateError(code, `${path} has to be an object; known are ${names}.`, { path });
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const path = at === undefined ? unknown : `${at}.${unknown}`;
  throw new AgentStateError(code, `There is no option ${path}; known are ${names}.`, { path });
}

/** Throws for a value that is none of those: a misspelt one would mean another, without a word. */
export function assertOneOf<Value>(
  value: Value | undefined,
  allowed: readonly Value[],
  path: string,
  code: OptionFault = 'configuration',
): void {
  if (value === undefined || allowed.includes(value)) return;
  throw new AgentStateError(code, `${path} has to be one of ${allowed.join(', ')}.`, { path });
}

/** Throws `configuration` for what is no time in milliseconds: text is compared as a number, and added as text. */
export function assertTime(ms: unknown, path: string): void {
  if (typeof ms === 'number' && ms > 0) return;
  throw new AgentStateError('configuration', `${path} has to be a number of milliseconds above 0.`, { path });
}

/** Throws `invalid_argument` for what is no whole number from 1 on. */
export function assertFromOne(value: unknown, path: string): void {
  if (Number.isSafeInteger(value) && (value as number) > 0) return;
  throw new AgentStateError('invalid_argument', `${path} has to be a whole number from 1 on.`, { path });
}

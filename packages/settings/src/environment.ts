import { configurationError } from './faults.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Refuses a prefix that environment variables could not begin with. */
export function assertPrefix(prefix: string): void {
  if (/^[A-Za-z](?:[A-Za-z0-9]|_(?!_))*$/.test(prefix) && !prefix.endsWith('_')) return;
  throw configurationError('prefix', 'The prefix has to be letters, digits and single underscores, like AGENT_STATE.');
}

/**
 * The active environment in lower case: the option, else the variable `<PREFIX>_ENV`, else none. The name becomes a
 * file name, so nothing else than a plain name is taken.
 */
export function activeEnvironment(
  option: string | undefined,
  variables: Variables,
  prefix: string,
): string | undefined {
  const variable = `${prefix}_ENV`.toUpperCase();
  const entry = Object.entries(variables).find(([name]) => name.toUpperCase() === variable);
  const name = option ?? entry?.[1];
  if (name === undefined) return undefined;
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) return name.toLowerCase();
  const source = option === undefined ? `Environment variable ${entry?.[0]}` : 'The option environment';
  throw configurationError(
    option === undefined ? variable : 'environment',
    `${source}: expected the name of an environment: 1 to 64 letters, digits, _ or -; leave it unset for none.`,
  );
}

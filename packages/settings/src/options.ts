import { configurationError } from './faults.ts';
import { nearest } from './suggestions.ts';

/** Refuses a misspelt option: it would be as if it were not there, and a `tenant` that is not there is everybody. */
export function assertOptions<T extends object>(options: T, known: Readonly<Record<keyof T, true>>): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, Object.keys(known));
  const advice = meant === undefined ? `known are ${Object.keys(known).join(', ')}.` : `did you mean ${meant}?`;
  throw configurationError(unknown, `The option ${unknown}: there is none; ${advice}`);
}

import { configurationError } from './faults.ts';
import { nearest } from './suggestions.ts';
import { type Path, showPath, type Table } from './table.ts';

/** Refuses a key of a provider table that its adapter does not know: a misspelt one would be ignored in silence. */
export function assertProviderKeys(connection: Path, provider: Table, known: readonly string[] | undefined): void {
  if (known === undefined) return;
  const unknown = Object.keys(provider).find((key) => key !== 'backend' && !known.includes(key));
  if (unknown === undefined) return;
  const path = showPath([...connection, 'provider', unknown]);
  const meant = nearest(unknown, known);
  const advice = meant === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${meant}?`;
  throw configurationError(path, `${path}: unknown key. ${advice}`);
}

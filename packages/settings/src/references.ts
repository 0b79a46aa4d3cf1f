import { configurationError } from './faults.ts';
import { isTable, type Path, showPath, type Table } from './table.ts';

/** Where a secret is kept, as a settings file writes it in place of the secret: `api_key = { path, key }`. */
export interface SecretReference {
  readonly path: string;
  readonly key: string;
}

/** Asked once for each secret that is used; gives its value. */
export type ResolveSecret = (reference: SecretReference) => string | Promise<string>;

export function isReference(value: unknown): value is SecretReference & Table {
  return (
    isTable(value) && Object.keys(value).length === 2 && typeof value.path === 'string' && typeof value.key === 'string'
  );
}

/** The secret behind a reference; `configuration` where there is nobody to ask, or no text comes back. */
export async function resolveReference(
  { path, key }: SecretReference,
  at: Path,
  resolveSecret: ResolveSecret | undefined,
): Promise<string> {
  const where = `${showPath(at)}: the secret { path = ${JSON.stringify(path)}, key = ${JSON.stringify(key)} }`;
  if (resolveSecret === undefined) {
    throw configurationError(showPath(at), `${where} needs the option resolveSecret of loadSettings.`);
  }
  const value: unknown = await ask(resolveSecret, { path, key }, showPath(at), where);
  if (typeof value === 'string') return value;
  throw configurationError(showPath(at), `${where}: resolveSecret did not give a string.`);
}

async function ask(resolve: ResolveSecret, reference: SecretReference, path: string, where: string): Promise<unknown> {
  try {
    return await resolve(reference);
  } catch (error) {
    // Only the kind of error goes on: what a secret manager's client puts into its errors is not ours to show.
    const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
    const kind = [name, code].filter((part) => typeof part === 'string' && /^[\w.-]{1,40}$/.test(part)).join(', ');
    throw configurationError(path, `${where}: resolveSecret failed (${kind || 'unknown error'}).`);
  }
}

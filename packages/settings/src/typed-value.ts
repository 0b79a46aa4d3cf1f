import { isReference } from './references.ts';
import type { Path } from './table.ts';
import { parseValue } from './toml.ts';

/** Keys whose value is text, whatever it looks like: a password may be all digits. */
const textKeys = new Set([
  'name',
  'description',
  'system_prompt',
  'connection_name',
  'default_connection_name',
  'default_profile',
  'default_kvstore_connection',
  'default_document_connection',
  'strategy',
  'namespace',
  'on_busy',
  'on_store_down',
  'on_vanished',
  'backend',
  'default_model',
  'uri',
  'url',
  'base_url',
  'database_name',
  'username',
  'password',
  'api_key',
  'token',
  'organization_id',
]);

export function isTextKey(path: Path): boolean {
  const last = path.at(-1);
  return typeof last === 'string' && textKeys.has(last.toLowerCase());
}

/**
 * What the text of a variable means. One TOML value (spaces around it do not count) is that value; anything else, the
 * empty text included, is a string, spaces and all. Where text is expected, only a TOML string or a secret's
 * `{ path, key }` is read as TOML, so that `12345` stays the text that it is.
 */
export function typedValue(text: string, isText: boolean): unknown {
  const value = parseValue(text);
  if (value === undefined) return text;
  if (!isText || typeof value === 'string' || isReference(value)) return value;
  return text;
}

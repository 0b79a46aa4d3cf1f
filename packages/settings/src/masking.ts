import { inspect } from 'node:util';
import { isTable, type Table } from './table.ts';

export const mask = '***';

const secretName =
  /key|pass|pwd|secret|token|credential|auth|cookie|signature|private|connection_?string|dsn|header|cert|pem/i;

/** A value as it may be shown: secrets by their key's name, and passwords inside of URLs, give way to `***`. */
export function masked(value: unknown, key = ''): unknown {
  if (secretName.test(key)) return value === '' ? '' : mask;
  if (typeof value === 'string') return maskUrl(value);
  if (Array.isArray(value)) return value.map((part) => masked(part, key));
  if (isTable(value))
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, masked(part, name)]));
  return value;
}

/**
 * From the first colon of the user part to the last `@`, for a password may hold any of the characters that end one in
 * a well-formed URL; and every parameter whose name sounds like a secret.
 */
export function maskUrl(text: string): string {
  return text
    .replace(/(:\/\/[^:@/?#]*):.*@/s, `$1:${mask}@`)
    .replace(/([?&;]([^=&;?#]+)=)([^&;#]*)/g, (whole, start: string, name: string) =>
      secretName.test(name) ? `${start}${mask}` : whole,
    );
}

/** Makes `value` show `shown` in its stead wherever it is printed: by `util.inspect`, the console, `JSON.stringify`. */
export function printedAs<T extends object>(value: T, shown: unknown): T {
  Object.defineProperty(value, 'toJSON', { value: () => shown });
  Object.defineProperty(value, inspect.custom, { value: () => shown });
  return value;
}

/** A deeply frozen copy of a provider's table that never shows a secret; those that were looked up stay hidden by name. */
export function guarded(table: Table, shown: Table = table): Table {
  const copy = Object.fromEntries(
    Object.entries(table).map(([key, value]) => [key, guardedPart(value, shown[key], key)]),
  );
  const safe = Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, masked(value, key)]));
  return Object.freeze(printedAs(copy, Object.freeze(safe)));
}

function guardedPart(value: unknown, shown: unknown, key: string): unknown {
  if (isTable(value)) return guarded(value, isTable(shown) ? shown : {});
  if (Array.isArray(value)) {
    const list = value.map((part: unknown, index) =>
      guardedPart(part, Array.isArray(shown) ? shown[index] : mask, key),
    );
    return Object.freeze(printedAs(list, masked(shown, key)));
  }
  return value;
}

import type { Encoded, JsonObject, JsonValue, Stored } from '@agent-state/core';
import { BSON } from 'mongodb';

/** Up to here a value is stored natively although its text may be smaller: it can be queried. */
const nativeBytes = 1_000_000;

/** A message or step as it lies in an array of the store, with its size there. */
export interface Item {
  readonly index: number;
  readonly stored: Stored;
  readonly bytes: number;
}

/**
 * Whether BSON carries the value byte for byte. A key with NUL cannot be stored, `_bsontype` makes the driver take the
 * object for one of its own, and `$ref` comes back as a class instance.
 */
export function isCarriable(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isCarriable);
  return Object.entries(value).every(([key, part]) => isCarriableKey(key) && isCarriable(part));
}

export function isCarriableKey(key: string): boolean {
  return key !== '_bsontype' && key !== '$ref' && !key.includes('\0');
}

/**
 * Native, unless BSON would change it; large ones in whichever form is smaller, for an array of small numbers is five
 * times its text in BSON and would not fit in a document.
 */
export function toStored(encoded: Encoded<JsonObject>): { readonly stored: Stored; readonly bytes: number } {
  const textBytes = Buffer.byteLength(encoded.text);
  if (isCarriable(encoded.value)) {
    const stored = { schema: encoded.schema, value: encoded.value };
    const bytes = BSON.calculateObjectSize(stored);
    if (bytes <= Math.max(nativeBytes, textBytes)) return { stored, bytes };
  }
  return { stored: encoded.text, bytes: textBytes };
}

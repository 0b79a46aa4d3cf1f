import { AgentStateError, isAgentStateError } from '../protocol/errors.ts';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** How deep a value may be nested; MongoDB carries 180 levels in a whole document. */
export const maxDepth = 128;

/** How deep a stored part may be: values lie at some depth in the head, in step records and in what is ahead. */
export const maxPartDepth = maxDepth + 16;

/** What was made here, deeply frozen, with how many levels it has. */
const levelsOf = new WeakMap<object, number>();

/**
 * A deeply frozen copy of `value`, if it is what JSON carries exactly: null, booleans, finite numbers, well-formed
 * strings, arrays without holes, and plain objects. A property that is `undefined` is absent, and `-0` is `0`; those
 * two are JSON's own. Anything else is refused with `not_serializable`, naming the path and the kind of value. What
 * this function made is returned as it is, so a history costs only its new messages.
 */
export function toJson(value: unknown, path: string, limit: number = maxDepth): JsonValue {
  return copy(value, path, { limit, depth: 0, above: new Set() });
}

/** Freezes what JSON.parse just made, in place; for values that nobody else holds. What JSON never wrote is refused. */
export function freezeParsed<T>(value: T, path: string, depth = 0): T {
  if (typeof value !== 'object' || value === null) return copyScalar(value, path) as T;
  if (depth >= maxPartDepth) throw refusal(path, `nesting past ${maxPartDepth} levels`);
  for (const [key, part] of Object.entries(value)) {
    assertKey(key, path);
    freezeParsed(part, path, depth + 1);
  }
  return finish(value);
}

/** The way to a value; written out only where there is something to say about it. */
type Trail = string | { readonly above: Trail; readonly key: string | number };

/** Where a copy stands: how deep, and in which objects. */
interface Place {
  readonly limit: number;
  readonly depth: number;
  readonly above: Set<object>;
}

function copy(value: unknown, path: Trail, place: Place): JsonValue {
  return typeof value === 'object' && value !== null ? copyObject(value, path, place) : copyScalar(value, path);
}

function copyScalar(value: unknown, path: Trail): JsonValue {
  if (typeof value === 'number') return copyNumber(value, path);
  if (typeof value === 'string' && !value.isWellFormed()) throw refusal(path, 'a string with a lone surrogate');
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  throw refusal(path, typeof value === 'bigint' ? 'BigInt' : typeof value);
}

function copyNumber(value: number, path: Trail): number {
  if (!Number.isFinite(value)) throw refusal(path, String(value));
  return value === 0 ? 0 : value;
}

function assertKey(key: string, path: Trail): void {
  if (!key.isWellFormed()) throw refusal(path, 'a key with a lone surrogate');
}

function copyObject(value: object, path: Trail, { limit, depth, above }: Place): JsonValue {
  const known = levelsOf.get(value);
  if (above.has(value)) throw refusal(path, 'a cycle');
  if (depth + (known ?? 1) > limit) throw refusal(path, `nesting past ${limit} levels`);
  if (known !== undefined) return value as JsonValue;
  above.add(value);
  const result = copyParts(value, path, { limit, depth: depth + 1, above });
  above.delete(value);
  return finish(result);
}

function copyParts(value: object, path: Trail, place: Place): JsonValue[] | JsonObject {
  try {
    return Array.isArray(value) ? copyArray(value, path, place) : copyPlain(value, path, place);
  } catch (error) {
    // Only a proxy can throw while it is read, and what it throws may show what is in it.
    throw isAgentStateError(error) ? error : refusal(path, 'an object that cannot be read');
  }
}

function copyArray(value: readonly unknown[], path: Trail, place: Place): JsonValue[] {
  assertPlain(value, path, Array.isArray);
  const result: JsonValue[] = [];
  for (let index = 0; index < value.length; index += 1) {
    const at = { above: path, key: index };
    result.push(copy(ownValue(value, index, at), at, place));
  }
  if (Object.keys(value).length > result.length) throw refusal(path, 'an array with named properties');
  return result;
}

function copyPlain(value: object, path: Trail, place: Place): JsonObject {
  assertPlain(value, path, isObjectPrototype);
  const result: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    assertKey(key, path);
    const at = { above: path, key };
    const part = ownValue(value, key, at);
    // Not by assignment: `__proto__` is an ordinary key.
    if (part !== undefined) setOwn(result, key, copy(part, at, place));
  }
  return result;
}

/** Without calling a getter, which could give another value each time. */
function ownValue(value: object, key: PropertyKey, path: Trail): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(value, key);
  if (descriptor?.get || descriptor?.set) throw refusal(path, 'a getter');
  return descriptor?.value;
}

function assertPlain(value: object, path: Trail, isPlainPrototype: (prototype: object) => boolean): void {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype !== null && !isPlainPrototype(prototype)) throw refusal(path, className(prototype));
  if (Object.getOwnPropertySymbols(value).length > 0) throw refusal(path, 'an object with symbol keys');
}

/** That of this realm or of another one. */
function isObjectPrototype(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

function className(prototype: { constructor?: { name?: unknown } }): string {
  const name = prototype.constructor?.name;
  return typeof name === 'string' && name !== '' && name !== 'Object' ? name : 'an object of a class';
}

function finish<T extends object>(value: T): T {
  let below = 0;
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null) below = Math.max(below, levelsOf.get(part) ?? 0);
  }
  levelsOf.set(value, below + 1);
  return Object.freeze(value);
}

/** `variables.order` and `variables["a.b"]`: a path that can be read back. Long keys are cut. */
export function joinPath(path: string, key: string): string {
  const shown = key.length > 60 ? `${key.slice(0, 60)}…` : key;
  return /^[A-Za-z_$][\w$]*$/.test(shown) ? `${path}.${shown}` : `${path}[${JSON.stringify(shown)}]`;
}

function writtenOut(trail: Trail): string {
  if (typeof trail === 'string') return trail;
  const above = writtenOut(trail.above);
  return typeof trail.key === 'number' ? `${above}[${trail.key}]` : joinPath(above, trail.key);
}

function refusal(path: Trail, kind: string): AgentStateError {
  const at = writtenOut(path);
  return new AgentStateError('not_serializable', `${at}: ${kind}; JSON cannot carry it exactly.`, { path: at });
}

/** Sets a key of a fresh object without ever reaching its prototype. */
export function setOwn(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (!(key in target)) target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

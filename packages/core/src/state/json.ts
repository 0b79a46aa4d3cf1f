import { AgentStateError } from '../protocol/errors.ts';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** How deep a value may be nested; MongoDB carries 180 levels in a whole document. */
export const maxDepth = 128;

const frozenByUs = new WeakSet<object>();

/**
 * A deeply frozen copy of `value`, if it is what JSON carries exactly: null, booleans, finite numbers, well-formed
 * strings, arrays without holes, and plain objects. A property that is `undefined` is absent, and `-0` is `0`; those
 * two are JSON's own. Anything else is refused with `not_serializable`, naming the path and the kind of value. What
 * this function made is returned as it is, so a history costs only its new messages.
 */
export function toJson(value: unknown, path: string): JsonValue {
  return copy(value, path, 0, new Set());
}

/** Freezes what JSON.parse or a driver just made, in place, without a check; for values that nobody else holds. */
export function freezeParsed<T>(value: T): T {
  if (typeof value !== 'object' || value === null || frozenByUs.has(value)) return value;
  for (const key of Object.keys(value)) freezeParsed((value as Record<string, unknown>)[key]);
  frozenByUs.add(value);
  return Object.freeze(value);
}

function copy(value: unknown, path: string, depth: number, above: Set<object>): JsonValue {
  if (typeof value === 'object' && value !== null) return copyObject(value, path, depth, above);
  if (typeof value === 'number') return copyNumber(value, path);
  if (typeof value === 'string' && !value.isWellFormed()) throw refusal(path, 'a string with a lone surrogate');
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value as JsonValue;
  throw refusal(path, typeof value === 'bigint' ? 'BigInt' : typeof value);
}

function copyNumber(value: number, path: string): number {
  if (!Number.isFinite(value)) throw refusal(path, String(value));
  return value === 0 ? 0 : value;
}

function copyObject(value: object, path: string, depth: number, above: Set<object>): JsonValue {
  if (frozenByUs.has(value)) return value as JsonValue;
  if (above.has(value)) throw refusal(path, 'a cycle');
  if (depth >= maxDepth) throw refusal(path, `nesting past ${maxDepth} levels`);
  above.add(value);
  const result = Array.isArray(value)
    ? copyArray(value, path, depth, above)
    : copyPlain(plainObject(value, path), path, depth, above);
  above.delete(value);
  frozenByUs.add(result as object);
  return Object.freeze(result);
}

function copyArray(value: readonly unknown[], path: string, depth: number, above: Set<object>): JsonValue[] {
  const result: JsonValue[] = [];
  for (let index = 0; index < value.length; index += 1) {
    result.push(copy(value[index], `${path}[${index}]`, depth + 1, above));
  }
  return result;
}

function copyPlain(value: object, path: string, depth: number, above: Set<object>): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) throw refusal(path, 'a key with a lone surrogate');
    const at = joinPath(path, key);
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor?.get || descriptor?.set) throw refusal(at, 'a getter');
    const part = descriptor?.value;
    if (part === undefined) continue;
    // Not by assignment: `__proto__` is an ordinary key.
    Object.defineProperty(result, key, {
      value: copy(part, at, depth + 1, above),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}

function plainObject(value: object, path: string): object {
  const prototype = Object.getPrototypeOf(value);
  const plain = prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
  if (!plain) throw refusal(path, className(prototype));
  if (Object.getOwnPropertySymbols(value).length > 0) throw refusal(path, 'an object with symbol keys');
  return value;
}

function className(prototype: { constructor?: { name?: unknown } } | null): string {
  const name = prototype?.constructor?.name;
  return typeof name === 'string' && name !== '' && name !== 'Object' ? name : 'an object of a class';
}

/** `variables.order` and `variables["a.b"]`: a path that can be read back. Long keys are cut. */
export function joinPath(path: string, key: string): string {
  const shown = key.length > 60 ? `${key.slice(0, 60)}…` : key;
  return /^[A-Za-z_$][\w$]*$/.test(shown) ? `${path}.${shown}` : `${path}[${JSON.stringify(shown)}]`;
}

function refusal(path: string, kind: string): AgentStateError {
  return new AgentStateError('not_serializable', `${path}: ${kind}; JSON cannot carry it exactly.`, { path });
}

/** Sets a key of a fresh object without ever reaching its prototype. */
export function setOwn(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

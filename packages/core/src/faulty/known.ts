import type { ErrorCode } from '../protocol/errors.ts';
import { type Fault, type FaultyCall, faultNames } from './fault.ts';

/**
 * What a test misspells would befall nothing, and the test pass for nothing: a TypeError, a programmer's mistake.
 */

const calls: Readonly<Record<FaultyCall, true>> = {
  load: true,
  peek: true,
  save: true,
  delete: true,
  steps: true,
  list: true,
  query: true,
};

const codes: Readonly<Record<ErrorCode, true>> = {
  unavailable: true,
  conflict: true,
  deleted: true,
  too_large: true,
  denied: true,
  corrupt: true,
  schema_too_new: true,
  not_serializable: true,
  invalid_state: true,
  invalid_thread_id: true,
  invalid_argument: true,
  unsupported: true,
  closed: true,
  not_found: true,
  configuration: true,
  taken_over: true,
  busy: true,
  paused: true,
  superseded: true,
  max_attempts: true,
  max_iterations: true,
  max_execution_time: true,
  aborted: true,
  model: true,
};

export const assertCall = (call: unknown): void => assertNamed('call', call, Object.keys(calls));

export const assertFaultName = (name: unknown): void => assertNamed('fault', name, faultNames);

export const assertOutage = (how: unknown): void => assertNamed('outage', how, ['refused', 'hangs']);

export function assertFault(fault: Fault | 'fine'): void {
  if (typeof fault === 'function') return;
  if (typeof fault === 'object' && fault !== null) assertDetail(fault);
  else assertNamed('fault', fault, [...faultNames, 'fine']);
}

const isTime = (ms: unknown): boolean => typeof ms === 'number' && ms >= 0;

const details: Readonly<Record<string, (value: unknown) => boolean>> = {
  lateMs: isTime,
  slowMs: isTime,
  rolledBack: (saves) => Number.isSafeInteger(saves) && (saves as number) > 0,
  code: (code) => typeof code === 'string' && Object.hasOwn(codes, code),
  throws: () => true,
};

/** Of a fault that has one: it has no other. */
function assertDetail(fault: object): void {
  const [name = 'without a name', ...more] = Object.keys(fault);
  assertNamed('fault', [name, ...more].join(' and '), Object.keys(details));
  const value: unknown = Object.values(fault)[0];
  if (!details[name]?.(value)) throw new TypeError(`there is no fault ${name}: ${String(value)}`);
}

function assertNamed(what: string, name: unknown, known: readonly string[]): void {
  if (known.includes(name as string)) return;
  throw new TypeError(`there is no ${what} ${String(name)}; known are ${known.join(', ')}`);
}

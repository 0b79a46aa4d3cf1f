import { inspect } from 'node:util';
import { type AgentStateError, isAgentStateError } from '@agent-state/core';
import { expect } from 'vitest';

/** What the tests hide in urls and messages, to look for it where it must not be. */
export const secret = 'S3CRET';
export const content = 'CONTENT-OF-A-MESSAGE';

/** The error of a call that has to fail: one of the protocol's, with neither a secret nor content anywhere in it. */
export async function errorOf(call: Promise<unknown>): Promise<AgentStateError> {
  const error: unknown = await call.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  expect(isAgentStateError(error), inspect(error)).toBe(true);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/S3CRET|CONTENT-OF/);
  return error as AgentStateError;
}

export async function within<T>(ms: number, call: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await call();
  expect(performance.now() - start).toBeLessThan(ms);
  return result;
}

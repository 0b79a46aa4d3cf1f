import { expect, it } from 'vitest';
import { verdictOf } from './expected.ts';

const expected = [{ id: 'contract/create', reason: 'known' }] as const;
const error = new Error('fault');

it('takes an expected failure for what it is, with its reason', () => {
  const verdict = verdictOf('contract/create', { status: 'failed', error }, expected);
  expect(verdict).toEqual({ status: 'expected', reason: 'known', error });
});

it('fails an expected failure that passes, so that the entry goes', () => {
  const verdict = verdictOf('contract/create', { status: 'passed' }, expected);
  expect(verdict.status).toBe('failed');
  expect(String(verdict.status === 'failed' && verdict.error)).toContain('passes now');
});

it('leaves a skip a skip, and every other case as it is', () => {
  expect(verdictOf('contract/create', { status: 'skipped', reason: 'r' }, expected).status).toBe('skipped');
  expect(verdictOf('contract/append', { status: 'failed', error }, expected).status).toBe('failed');
  expect(verdictOf('contract/append', { status: 'passed' }, expected).status).toBe('passed');
});

it('refuses, as a type, an id that no case has', () => {
  // @ts-expect-error a misspelt id would hide a failure for ever
  verdictOf('x', { status: 'passed' }, [{ id: 'contract/mispelt', reason: 'r' }]);
});

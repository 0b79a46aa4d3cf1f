import { AssertionError } from 'node:assert';
import { isAgentStateError } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { cases } from '../src/cases.ts';
import { runCase } from '../src/run-case.ts';
import { brokenAdapters } from './broken/all.ts';

describe('[S-KIT-01] a checkpointer is found out that', () => {
  for (const { name, killedBy, target } of brokenAdapters) {
    it(`${name} (${killedBy})`, async () => {
      const subject = cases.find(({ id }) => id === killedBy);
      if (!subject) throw new Error(`There is no case ${killedBy}.`);
      const outcome = await runCase(target, subject);
      expect(outcome.status).toBe('failed');
      const error = outcome.status === 'failed' ? outcome.error : undefined;
      // Found out by the case, and not by a mistake in the fault itself.
      expect(error instanceof AssertionError || isAgentStateError(error), String(error)).toBe(true);
    });
  }
});

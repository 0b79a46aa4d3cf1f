import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createThreads } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import type { Order } from './child.ts';
import { eachStore, folder } from './grounds.ts';
import { countAsked, effectsIn, openLedger } from './ledger.ts';
import { victimsOn } from './victims.ts';

const maxAttempts = 3;

describe.each(eachStore)('on $name', ({ name, url, open }) => {
  /** One process after the other, until one of them does not die, or all too many have; how each ended. */
  async function dieUntilGivenUp(threadId: string, killAt: string): Promise<string[]> {
    const victims = victimsOn(name, String(url), 1);
    const order = { scenario: 'idempotent', threadId, ledger: join(folder, threadId), killAt } as const;
    const ends: string[] = [];
    for (let begin: Order['begin'] = 'play'; ends.length < 2 * maxAttempts; begin = 'resume') {
      const { killed, word } = await (await victims.start({ ...order, begin })).end;
      ends.push(word);
      if (!killed) break;
    }
    return ends;
  }
  const stateOf = (threadId: string) => createThreads(open()).get(threadId);

  it.skipIf(url === undefined)(
    '[A11] a tool that kills every process that runs it is given up after maxAttempts, and the thread goes on',
    { timeout: 60_000 },
    async () => {
      const threadId = randomUUID();
      const effect = 'tool.effect';
      expect(await dieUntilGivenUp(threadId, effect)).toEqual([effect, effect, effect, 'ended']);
      const effects = effectsIn(openLedger(join(folder, threadId)).read());
      expect(effects).toHaveLength(maxAttempts);
      expect(new Set(effects.map(({ key }) => key)).size).toBe(1);
      const state = await stateOf(threadId);
      expect(state?.history.find(({ role }) => role === 'tool')?.content).toMatch(
        /^Error: Given up: the process of this call died, or was taken over, 3 times/,
      );
      expect(state).toMatchObject({ variables: {}, run: { phase: 'done', owner: null } });
    },
  );

  it.skipIf(url === undefined)(
    '[A11] a question to the model that kills every process fails the run after maxAttempts, for whoever comes',
    { timeout: 60_000 },
    async () => {
      const threadId = randomUUID();
      const begin = 'think.begin';
      expect(await dieUntilGivenUp(threadId, begin)).toEqual([begin, begin, begin, 'max_attempts']);
      expect(await dieUntilGivenUp(threadId, begin)).toEqual(['max_attempts']);
      expect(countAsked(openLedger(join(folder, threadId)).read())).toBe(maxAttempts);
      expect(await stateOf(threadId)).toMatchObject({
        run: { phase: 'failed', owner: null, error: { code: 'max_attempts' } },
      });
    },
  );
});

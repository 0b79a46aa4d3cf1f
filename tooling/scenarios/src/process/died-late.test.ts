import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createThreads } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { eachStore, folder } from './grounds.ts';
import { countAsked, openLedger } from './ledger.ts';
import { goOn } from './round.ts';
import type { ScenarioName } from './scenarios.ts';
import { victimsOn } from './victims.ts';

const timeout = 60_000;

describe.each(eachStore)('on $name', ({ name, url, open }) => {
  /** What this process did after another one died there: its effects, the questions to its model, and whether it wrote. */
  function rounds() {
    const victims = victimsOn(name, String(url), 1);
    const store = open();
    return async (scenario: ScenarioName, killAt: number | string) => {
      const threadId = randomUUID();
      const ledger = join(folder, threadId);
      const victim = await victims.start({ scenario, threadId, ledger, begin: 'play', killAt });
      const { word } = await victim.end;
      const before = await store.peek(threadId);
      const left = await createThreads(store).get(threadId);
      const [fate] = await goOn(store, { scenario, threadId, by: 'resume' });
      const mine = openLedger(ledger)
        .read()
        .filter(({ by }) => by === process.pid);
      const wrote = JSON.stringify(await store.peek(threadId)) !== JSON.stringify(before);
      return { word, left, fate, asked: countAsked(mine), wrote };
    };
  }

  it.skipIf(url === undefined)(
    '[A4] died between the effect of a call and its result: what is idempotent runs a second time under its key, what may run once is unknown',
    { timeout },
    async () => {
      const die = rounds();
      expect((await die('idempotent', 'tool.effect')).fate).toMatchObject({
        before: 1,
        after: 1,
        keys: 1,
        unknown: false,
      });
      expect((await die('once', 'tool.effect')).fate).toMatchObject({ before: 1, after: 0, keys: 1, unknown: true });
    },
  );

  it.skipIf(url === undefined)(
    '[S-RES-01] died when what the model asked for was saved: its call is open, and runs without the model being asked for it again',
    { timeout },
    async () => {
      const { left, fate, asked } = await rounds()('once', 'W1.acked');
      expect(left?.run).toMatchObject({ phase: 'act', calls: [{ id: 'call_0', tool: 'pay', status: 'planned' }] });
      expect([fate?.before, fate?.after, asked]).toEqual([0, 1, 1]);
    },
  );

  it.skipIf(url === undefined)(
    '[S-RES-03] died when the result of a tool was saved, before the model was asked again: the step is done, and the tool does not run again',
    { timeout },
    async () => {
      const { left, fate, asked } = await rounds()('idempotent', 'W4.acked');
      expect(left).toMatchObject({ current_step: 2, run: { phase: 'think', calls: [] } });
      expect([fate?.before, fate?.after, asked]).toEqual([1, 0, 1]);
    },
  );

  it.skipIf(url === undefined)(
    '[A5] died with the final answer in hand: the model is asked again; after it was saved: no model call, no tool, no write',
    { timeout },
    async () => {
      const die = rounds();
      // The second question to the model, and its answer.
      expect(await die('once', 15)).toMatchObject({ word: 'think.begin', asked: 1, fate: { before: 1, after: 0 } });
      expect(await die('once', 16)).toMatchObject({ word: 'think.end', asked: 1, fate: { before: 1, after: 0 } });
      expect(await die('once', 'answer.acked')).toMatchObject({
        asked: 0,
        wrote: false,
        fate: { before: 1, after: 0 },
      });
    },
  );

  it.skipIf(url === undefined)(
    '[A12] ended as it should, and then resumed and sent its inputs again: no model call, no tool, no write',
    { timeout },
    async () => {
      expect(await rounds()('whole', 'nowhere')).toMatchObject({ word: 'ended', asked: 0, wrote: false });
    },
  );
});

import { randomUUID } from 'node:crypto';
import type { Checkpointer, ScriptedTurn } from '@agent-state/core';
import { type MongoServer, startProxy } from '@agent-state/services';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGate, lines, says, startProcess } from '../agent.ts';
import { unhurried } from '../deadlines.ts';
import { loaded } from '../stored.ts';
import { expectQuiet } from '../troubled.ts';
import { open, openGiven, ownMongo } from './support.ts';

const mongo = await ownMongo();

describe.skipIf(!mongo)(
  'two processes on one thread of MongoDB, of which the first has read before the second wrote',
  () => {
    const server = mongo as MongoServer;
    const answering = (checkpointer: Checkpointer, answer: string, deadlines = unhurried) =>
      startProcess(checkpointer, Array<ScriptedTurn>(9).fill(says(answer)), [], deadlines);
    const patient = { storeCallMs: 20_000, storeBudgetMs: 25_000 };

    async function proxied() {
      const proxy = await startProxy(server.port);
      onTestFinished(() => proxy.stop());
      const { client, checkpointer } = openGiven(`mongodb://127.0.0.1:${proxy.port}/?directConnection=true`, {});
      return { proxy, client, checkpointer };
    }

    /** The first one's claim is held back on its way, so that all of the second one's run comes before it. */
    async function overtake(threadId: string, { proxy, checkpointer }: Awaited<ReturnType<typeof proxied>>) {
      const gate = createGate();
      const isClaim = (request: Buffer) => request.includes('To the first');
      const held = proxy.holdNext(gate.passed, isClaim);
      const first = answering(checkpointer, 'From the first.', patient);
      const running = first.agent(threadId).run('To the first');
      await held.fired;
      const second = answering(open(server), 'From the second.');
      expect(await second.agent(threadId).run('To the second')).toMatchObject({ durable: true });
      const winner = await loaded(open(server), threadId);
      expect(winner.state.history.at(-1)?.content).toBe('From the second.');
      gate.open();
      expect(await running).toMatchObject({ answer: 'From the first.', durable: true });
      expectQuiet(first);
      expectQuiet(second);
      return { winner, stored: await loaded(open(server), threadId) };
    }

    const bothInOrder = [
      'user: To the second',
      'assistant: From the second.',
      'user: To the first',
      'assistant: From the first.',
    ];

    it('[C6] of two that create it one wins; the other meets a duplicate key, loads again, and goes on from there', async () => {
      const threadId = randomUUID();
      const slow = await proxied();
      const replies: unknown[] = [];
      slow.client.on(
        'commandSucceeded',
        ({ commandName, reply }) => void (commandName === 'insert' && replies.push(reply)),
      );
      const { winner, stored } = await overtake(threadId, slow);
      expect(replies).toMatchObject([{ n: 0, writeErrors: [{ code: 11000 }] }]);
      expect(stored.life).toEqual(winner.life);
      expect(stored.revision).toBe(winner.revision + 2);
      expect(lines(stored.state.history)).toEqual(['system: Be helpful.', ...bothInOrder]);
    });

    it('[C6] of two that create it, in twenty rounds at once, one wins and no input is lost', async () => {
      const stores = [open(server), open(server)] as const;
      for (let round = 0; round < 20; round += 1) {
        const threadId = randomUUID();
        const inputs = ['one', 'two'];
        const outcomes = await Promise.allSettled(
          stores.map((store, index) => answering(store, 'Hi.').agent(threadId).run(String(inputs[index]))),
        );
        const { state, life } = await loaded(stores[0], threadId);
        const given = state.history.filter(({ role }) => role === 'user').map(({ content }) => content);
        expect(new Set(given)).toEqual(new Set(inputs));
        expect(given).toHaveLength(2);
        expect(life.after).toBeNull();
        for (const outcome of outcomes)
          if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'taken_over' });
        expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
      }
    });

    it('[C11] one that read what is no longer so is refused its claim, loads again, and goes on', async () => {
      const threadId = randomUUID();
      const asking = open({ url: `${server.url}&readPreference=secondary` });
      const first = answering(asking, 'Hello.');
      expect(await first.agent(threadId).run('Hi')).toMatchObject({ durable: true });
      expectQuiet(first);
      const slow = await proxied();
      const modified: unknown[] = [];
      slow.client.on('commandSucceeded', ({ commandName, reply }) => {
        if (commandName === 'update') modified.push((reply as { nModified?: unknown }).nModified);
      });
      const { winner, stored } = await overtake(threadId, slow);
      expect(modified).toEqual([0, 1, 1]);
      expect(stored.revision).toBe(winner.revision + 2);
      const begun = ['system: Be helpful.', 'user: Hi', 'assistant: Hello.'];
      expect(lines((await loaded(asking, threadId)).state.history)).toEqual([...begun, ...bothInOrder]);
    });
  },
);

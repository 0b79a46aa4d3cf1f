import { randomUUID } from 'node:crypto';
import type { Checkpointer, ScriptedTurn } from '@agent-state/core';
import type { MongoServer } from '@agent-state/services';
import { afterEach, describe, expect, it } from 'vitest';
import { lines, says, startProcess } from '../agent.ts';
import { loaded } from '../redis/outage.ts';
import { unhurried } from '../redis/support.ts';
import { expectQuiet } from '../redis/troubled.ts';
import { open, openGiven, ownMongo } from './support.ts';

const mongo = await ownMongo();

describe.skipIf(!mongo)(
  'two processes on one thread of MongoDB, of which the first has read before the second wrote',
  () => {
    const server = mongo as MongoServer;
    afterEach(() => server.failPoint('failCommand', 'off'));
    const answering = (checkpointer: Checkpointer, answer: string) =>
      startProcess(checkpointer, Array<ScriptedTurn>(9).fill(says(answer)), [], unhurried);

    /** The first one's claim is held back by the server, so that all of the second one's run comes before it. */
    async function overtake(threadId: string, slow: Checkpointer, claim: 'insert' | 'update') {
      await slow.load(threadId);
      const data = { failCommands: [claim], blockConnection: true, blockTimeMS: 600, appName: 'slow' };
      const { count } = await server.command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data });
      const first = answering(slow, 'From the first.');
      const running = first.agent(threadId).run('To the first');
      const timesEntered = Number(count) + 1;
      await server.command({ waitForFailPoint: 'failCommand', timesEntered, maxTimeMS: 10_000 });
      const second = answering(open(server), 'From the second.');
      expect(await second.agent(threadId).run('To the second')).toMatchObject({ durable: true });
      const winner = await loaded(open(server), threadId);
      expect(winner.state.history.at(-1)?.content).toBe('From the second.');
      expect(await running).toMatchObject({ answer: 'From the first.', durable: true });
      expectQuiet(first);
      expectQuiet(second);
      return { winner, stored: await loaded(open(server), threadId) };
    }
    const slowUrl = `${mongo?.url}&appName=slow`;

    const bothInOrder = [
      'user: To the second',
      'assistant: From the second.',
      'user: To the first',
      'assistant: From the first.',
    ];

    it('[C6] of two that create it one wins; the other meets a duplicate key, loads again, and goes on from there', async () => {
      const threadId = randomUUID();
      const { client, checkpointer } = openGiven(slowUrl);
      const replies: unknown[] = [];
      client.on('commandSucceeded', ({ commandName, reply }) => void (commandName === 'insert' && replies.push(reply)));
      const { winner, stored } = await overtake(threadId, checkpointer, 'insert');
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

    it('[C11] one that read what is no longer so, though it asks for secondaries, is refused its claim, loads again, and goes on', async () => {
      const threadId = randomUUID();
      await answering(open(server), 'Hello.').agent(threadId).run('Hi');
      const slow = open({ url: `${slowUrl}&readPreference=secondary` });
      const { winner, stored } = await overtake(threadId, slow, 'update');
      expect(stored.revision).toBe(winner.revision + 2);
      const begun = ['system: Be helpful.', 'user: Hi', 'assistant: Hello.'];
      expect(lines(stored.state.history)).toEqual([...begun, ...bothInOrder]);
    });
  },
);

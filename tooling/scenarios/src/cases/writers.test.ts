import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Checkpointer, isAgentStateError } from '@agent-state/core';
import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { says, startProcess } from '../agent.ts';
import { loaded } from '../stored.ts';
import { conditionalStores, opened } from '../stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-state-writers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const namespace = `n${randomUUID().slice(0, 8)}`;
const [redisUrl, mongoUrl] = [inject('redisUrl'), inject('mongoUrl')];
/** Where nobody has written before. */
const empty: readonly (readonly [string, () => Checkpointer])[] = [
  ['sqlite', () => createSqliteCheckpointer({ path: join(folder, 'threads.sqlite') })],
  ...(redisUrl === undefined ? [] : [['redis', () => createRedisCheckpointer({ url: redisUrl, namespace })] as const]),
  ...(mongoUrl === undefined
    ? []
    : [['mongo', () => createMongoCheckpointer({ url: mongoUrl, database: namespace })] as const]),
];

const message = (content: string) => ({ role: 'user' as const, content });

it.each(empty)(
  '[S-CON-03] in an empty place on %s, of 20 first saves of one thread at once one is done and the others meet a conflict; 20 of 20 threads are all done',
  async (_, openStore) => {
    const services = Array.from({ length: 4 }, () => opened(openStore));
    const service = (index: number) => services[index % 4] as Checkpointer;
    const twenty = Array.from({ length: 20 }, (_each, index) => `${index}`);
    const base = { found: false, tombstone: null } as const;
    const firsts = await Promise.allSettled(
      twenty.map((text, index) => service(index).save('one', { state: { history: [message(text)] }, base })),
    );
    const won = firsts.findIndex(({ status }) => status === 'fulfilled');
    const refused = firsts.filter((first) => first.status === 'rejected').map(({ reason }) => reason as unknown);
    expect(refused).toHaveLength(19);
    expect(refused.filter((reason) => !isAgentStateError(reason, 'conflict'))).toEqual([]);
    expect((await loaded(service(won + 1), 'one')).state.history).toEqual([message(`${won}`)]);
    await Promise.all(twenty.map((id, index) => service(index).save(id, { state: { history: [message(id)] }, base })));
    for (const [index, id] of twenty.entries()) {
      expect((await loaded(service(index + 1), id)).state.history).toEqual([message(id)]);
    }
  },
);

const rounds = 50;

describe.each(conditionalStores)('on %s', (_, openStore) => {
  it(`[S-CON-05] two services over one checkpointer keep each other out: of ${rounds} inputs of each, all are there once whose senders were not told otherwise`, async () => {
    const store = opened(openStore);
    const threadId = randomUUID();
    const turns = Array.from({ length: 2 * rounds }, () => says('Hi.'));
    const accepted: string[] = [];
    const send = async (name: string) => {
      const { factory } = startProcess(store, turns);
      for (let round = 0; round < rounds; round += 1) {
        const input = `${name} ${round}`;
        const running = factory.create({ threadId }).run(input, { onBusy: 'throw' });
        const outcome = await running.then(
          ({ durable }) => durable,
          (error: { code: string }) => error.code,
        );
        expect([true, 'busy']).toContain(outcome);
        if (outcome === true) accepted.push(input);
      }
    };
    await Promise.all([send('a'), send('b')]);
    const { state, revision } = await loaded(store, threadId);
    const given = state.history.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
    expect(given).toEqual(accepted);
    expect(state.history.filter(({ role }) => role === 'assistant')).toHaveLength(accepted.length);
    expect(revision).toBe(2 * accepted.length);
  });
});

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createThreads } from '@agent-state/core';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { isMissing, startMongo, startRedis } from '@agent-state/services';
import Database from 'libsql';
import { afterAll, describe, expect, it } from 'vitest';
import { lines } from '../agent.ts';
import { openStore } from '../open-store.ts';
import { wholeHistory } from '../troubled.ts';
import { type ChildOptions, startChild } from './start-child.ts';

/** Where a child stores, with what keeps it from being answered. */
interface Server {
  readonly url: string;
  readonly freeze: () => unknown;
  readonly thaw: () => unknown;
  readonly stop: () => unknown;
}

async function sqlite(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-host-'));
  const url = join(folder, 'threads.sqlite');
  const first = createSqliteCheckpointer({ path: url });
  await first.load('so that there are tables');
  await first.close();
  const holder = new Database(url);
  return {
    url,
    freeze: () => holder.exec('begin immediate'),
    thaw: () => holder.exec('rollback'),
    stop() {
      holder.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function real(starting: ReturnType<typeof startRedis | typeof startMongo>): Promise<Server | undefined> {
  const server = await starting;
  return isMissing(server) ? undefined : server;
}

const servers: Readonly<Record<ChildOptions['store'], () => Promise<Server | undefined>>> = {
  sqlite,
  redis: () => real(startRedis()),
  mongo: () => real(startMongo()),
};

describe.each(Object.entries(servers))('a process that stores in %s', async (name, start) => {
  const server = await start();
  afterAll(() => server?.stop());
  const store = name as ChildOptions['store'];
  const { url, freeze, thaw } = server ?? { url: '', freeze: () => {}, thaw: () => {} };

  async function historyOf(threadId: string): Promise<string[] | undefined> {
    const checkpointer = await openStore(store, url);
    try {
      return lines((await createThreads(checkpointer).get(threadId))?.history);
    } finally {
      await checkpointer.close();
    }
  }

  it.skipIf(!server)(
    '[F4] goes on in memory where it may open no more files, and stores everything once it may',
    async () => {
      const threadId = randomUUID();
      const shell = 'ulimit -n 96; exec "$@"';
      const end = await startChild({ trouble: 'descriptors', store, url, threadId, shell }).ended();
      expect(end).toMatchObject({ outcome: 'Done.', durable: false, unsaved: [] });
      expect(end.warnings).toHaveLength(1);
      expect(end.events.filter((type) => ['volatile', 'rejoined'].includes(type))).toEqual(['volatile', 'rejoined']);
      expect(await historyOf(threadId)).toEqual(wholeHistory);
    },
  );

  it.skipIf(!server)('[F7] closes with saves under way, has stored all, and ends by itself', async () => {
    const threadId = randomUUID();
    const child = startChild({ trouble: 'leave', store, url, threadId });
    await child.said('break it');
    child.answer();
    expect(await child.ended()).toMatchObject({ outcome: 'Done.', durable: true, unsaved: [], warnings: [] });
    expect(await historyOf(threadId)).toEqual(wholeHistory);
  });

  it.skipIf(!server)(
    '[F7] closes while the store does not answer, hands out what is not stored, and ends by itself',
    async () => {
      const threadId = randomUUID();
      const child = startChild({ trouble: 'leave', store, url, threadId });
      await child.said('break it');
      await freeze();
      child.answer();
      const begun = performance.now();
      const end = await child.ended().finally(thaw);
      expect(performance.now() - begun).toBeLessThan(8_000);
      expect(end).toMatchObject({ outcome: 'closed', unsaved: [threadId] });
    },
  );
});

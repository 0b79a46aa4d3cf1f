import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Checkpointer, createThreads } from '@agent-state/core';
import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import type {} from '@agent-state/services/vitest';
import { afterEach, describe, expect, inject, it } from 'vitest';
import type { Order, Report } from './child.ts';
import { isPaired } from './paired.ts';

const rounds = 50;
const children: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'agent-state-take-over-'));

afterEach(() => {
  for (const child of children.splice(0)) child.removeAllListeners('exit').kill('SIGKILL');
});

async function startChild(store: string, url: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('../dist/child.js', import.meta.url)), [store, url], { execArgv: [] });
  child.once('exit', (code) => child.emit('error', new Error(`The child ended with ${code}.`)));
  children.push(child);
  await once(child, 'message');
  return child;
}

type End = Extract<Report, { kind: 'ended' }>;

/** Starts both on one thread; each is told when the other has claimed it. Gives how their runs ended. */
function playBoth(both: readonly [ChildProcess, ChildProcess], threadId: string, meetAt: number): Promise<End[]> {
  const run = (child: ChildProcess, other: ChildProcess, input: string) =>
    new Promise<End>((resolve) => {
      child.on('message', function listen(report: Report) {
        if (report.threadId !== threadId) return;
        if (report.kind === 'claimed') return void other.send({ kind: 'met', threadId } satisfies Order);
        child.off('message', listen);
        resolve(report);
      });
      child.send({ kind: 'run', threadId, input, meetAt } satisfies Order);
    });
  const [first, second] = both;
  return Promise.all([run(first, second, 'from the first'), run(second, first, 'from the second')]);
}

async function twoProcesses(store: string, url: string, checkpointer: Checkpointer): Promise<void> {
  const both = [await startChild(store, url), await startChild(store, url)] as const;
  for (let round = 0; round < rounds; round += 1) {
    const threadId = `${randomUUID()} ${round}`;
    const ends = await playBoth(both, threadId, round % 4);
    expect(new Set(ends.map(({ outcome }) => outcome))).toEqual(new Set(['done', 'taken_over']));
    expect(ends.map(({ startedLate }) => startedLate)).toEqual([0, 0]);
    const history = (await createThreads(checkpointer).get(threadId))?.history ?? [];
    const inputs = history.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(new Set(inputs)).toEqual(new Set(['from the first', 'from the second']));
    expect(inputs).toHaveLength(2);
    expect(history.filter(({ role }) => role === 'assistant')).toHaveLength(4);
    expect(history.filter(({ role }) => role === 'tool')).toHaveLength(4);
    expect(isPaired(history)).toBe(true);
    expect(history.at(-1)?.content).toBe('Done.');
  }
  await checkpointer.close();
}

describe(`two processes run one thread at once, ${rounds} rounds: one finishes, the other is taken over and starts no further tool, nothing is lost or doubled`, () => {
  const redisUrl = inject('redisUrl');
  it.skipIf(redisUrl === undefined)(
    '[E1] on Redis',
    async () => {
      const url = String(redisUrl);
      await twoProcesses('redis', url, createRedisCheckpointer({ url }));
    },
    120_000,
  );

  const mongoUrl = inject('mongoUrl');
  it.skipIf(mongoUrl === undefined)(
    '[E1] on MongoDB',
    async () => {
      const url = String(mongoUrl);
      await twoProcesses('mongo', url, createMongoCheckpointer({ url }));
    },
    120_000,
  );

  it('[E1] on SQLite', async () => {
    const path = join(folder, 'threads.sqlite');
    await twoProcesses('sqlite', path, createSqliteCheckpointer({ path }));
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);
});

import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSqliteCheckpointer } from '../src/checkpointer.ts';
import { bundleSources, startChild } from './children.ts';
import { temporaryFolder } from './temporary-folder.ts';

let bundle: Awaited<ReturnType<typeof bundleSources>>;
beforeAll(async () => {
  bundle = await bundleSources();
});
afterAll(() => bundle.remove());

/** 200 in a thorough run; each takes about a quarter of a second. */
const rounds = Number(process.env.SQLITE_KILL_ROUNDS ?? 15);

it('[G5] holds every acknowledged save, and no part of another, after a kill at any moment', async () => {
  const path = join(temporaryFolder(), 'threads.db');
  for (let round = 0; round < rounds; round += 1) {
    const child = startChild('append-forever.mjs', bundle.file, path);
    await child.said('started');
    await child.said('saved');
    await new Promise((resolve) => {
      setTimeout(resolve, Math.random() * 20);
    });
    await child.kill();
    const acknowledged = Number(child.lines.at(-1)?.split(' ')[1]);
    await expectWhole(path, acknowledged);
  }
});

it('[G5] opens a copy of file and log that was taken between two writes', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'threads.db');
  const acknowledged = await appendUntil(path, 'saved 20');
  const copy = join(folder, 'copy.db');
  for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
  await expectWhole(copy, acknowledged);
});

it('[G5] opens a copy whose log ends anywhere, as a power cut may leave it, with the thread as one of its saves left it', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'threads.db');
  await appendUntil(path, 'saved 1');
  // What is there is in the file then, and only what follows in the log.
  const seeded = createSqliteCheckpointer({ path });
  await seeded.load('thread');
  await seeded.close();
  const acknowledged = await appendUntil(path, 'saved 20');
  const log = readFileSync(`${path}-wal`);
  const revisions = [];
  for (let part = 0; part <= 16; part += 1) {
    const copy = join(folder, `cut ${part}.db`);
    copyFileSync(path, copy);
    writeFileSync(`${copy}-wal`, log.subarray(0, Math.floor((log.length * part) / 16)));
    revisions.push(await expectWhole(copy, part === 16 ? acknowledged : 1));
  }
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  expect(new Set(revisions).size).toBeGreaterThan(8);
});

it('[G6] loses nothing where eight processes write one file, their own threads and a shared one', async () => {
  const path = join(temporaryFolder(), 'threads.db');
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const [ownThreads, appends] = [8, 5];
  const children = names.map((name) =>
    startChild('append-many.mjs', bundle.file, path, name, `${ownThreads}`, `${appends}`),
  );
  await Promise.all(children.map((child) => child.ended()));
  const checkpointer = createSqliteCheckpointer({ path });
  const shared = await contents(checkpointer, 'shared');
  expect(new Set(shared).size).toBe(names.length * appends);
  for (const name of names) {
    expect(shared.filter((content) => content.startsWith(name))).toEqual(numbers(appends).map((n) => `${name} ${n}`));
    for (const thread of numbers(ownThreads)) {
      expect(await contents(checkpointer, `${name}-${thread}`)).toEqual(numbers(appends));
    }
  }
  await checkpointer.close();
});

it('lets the process end by itself, closed or not', async () => {
  const path = join(temporaryFolder(), 'threads.db');
  await startChild('use-and-end.mjs', bundle.file, path, 'close').ended();
  await startChild('use-and-end.mjs', bundle.file, path, 'leave').ended();
  expect(await contents(createSqliteCheckpointer({ path }), 'thread')).toEqual(['hello']);
});

/** Lets a process append until it has said this, and kills it. Gives the last revision that was acknowledged. */
async function appendUntil(path: string, said: string): Promise<number> {
  const child = startChild('append-forever.mjs', bundle.file, path);
  await child.said(said);
  await child.kill();
  return Number(child.lines.at(-1)?.split(' ')[1]);
}

/**
 * The thread as one of its saves left it: the last acknowledged one, or one that was not acknowledged any more. Gives
 * its revision.
 */
async function expectWhole(path: string, acknowledged: number): Promise<number> {
  const checkpointer = createSqliteCheckpointer({ path });
  const found = await checkpointer.load('thread');
  if (!found.found) throw new Error('The thread is gone.');
  expect(found.revision).toBeGreaterThanOrEqual(acknowledged);
  expect(found.length).toBe(found.revision);
  expect(found.state.variables).toEqual({ number: found.revision });
  expect(found.steps).toBe(found.revision);
  expect(await checkpointer.steps('thread', { from: Math.max(0, found.revision - 1) })).toHaveLength(1);
  await checkpointer.close();
  expect(new Database(path).prepare('pragma integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
  return found.revision;
}

async function contents(checkpointer: ReturnType<typeof createSqliteCheckpointer>, threadId: string) {
  const found = await checkpointer.load(threadId);
  return found.found ? found.state.history.map(({ content }) => content as string) : [];
}

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${index}`);
}

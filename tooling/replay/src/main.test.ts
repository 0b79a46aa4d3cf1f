import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {} from '@agent-state/services/vitest';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { bundleProgram, run } from '../test/program.ts';
import * as made from '../test/recordings.ts';

let program: Awaited<ReturnType<typeof bundleProgram>>;
const folder = mkdtempSync(join(tmpdir(), 'agent-state-replay-test-'));
const file = (name: string, ...lines: readonly string[]): string => {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return path;
};
beforeAll(async () => {
  program = await bundleProgram();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await program?.remove();
});

describe('the command', () => {
  test('prints a line a store, and is content when nothing differs', async () => {
    const good = file('good.jsonl', ...made.all);
    expect(await run(program.file, '--store', 'memory,sqlite', good)).toEqual({
      code: 0,
      out: ['memory: 5 threads, 25 messages, 0 differ', 'sqlite: 5 threads, 25 messages, 0 differ'],
      err: '',
    });
  });

  test('tells what a store warns of once, however many threads there are', async ({ skip }) => {
    if (!inject('redisUrl')) skip('there is no redis-server');
    const { code, out, err } = await run(program.file, '--store', 'kv', file('warned.jsonl', ...made.all));
    expect([code, out]).toEqual([0, ['kv: 5 threads, 25 messages, 0 differ']]);
    expect(err).toBe(
      'kv: This store cannot compare and save in one step: two processes on one thread are not kept apart.\n',
    );
  });

  test('takes only so many threads', async () => {
    const { out } = await run(program.file, '--store=memory', '--limit=2', file('limit.jsonl', ...made.all));
    expect(out).toEqual(['memory: 2 threads, 13 messages, 0 differ']);
  });

  test('kills and goes on, where the store outlives a process', async () => {
    const args = ['--store', 'memory,sqlite', '--kill', '--seed', '3', file('kill.jsonl', ...made.all)];
    expect(await run(program.file, ...args)).toEqual({
      code: 0,
      out: [
        'seed: 3',
        'memory: ends with its process, so there is nothing to go on from; not killed',
        'sqlite: 5 threads, 25 messages, 5 kills, 0 differ, 0 finished tools repeated',
      ],
      err: '',
    });
  });

  test('kills in every step where it is told to', async () => {
    const args = ['--store', 'sqlite', '--kill', 'every', '--seed', '3', file('every.jsonl', made.unfinished)];
    expect(await run(program.file, ...args)).toEqual({
      code: 0,
      out: ['seed: 3', 'sqlite: 4 threads, 16 messages, 4 kills, 0 differ, 0 finished tools repeated'],
      err: '',
    });
  });

  test('names a line that cannot be replayed, replays the rest, and is not content', async () => {
    const mixed = file('mixed.jsonl', made.answered, '{"id": "cut', made.twins);
    const { code, out, err } = await run(program.file, '--store', 'memory', mixed);
    expect([code, out]).toEqual([1, ['memory: 2 threads, 9 messages, 0 differ']]);
    expect(err).toBe(`${mixed}, line 2 is not replayed: it is not JSON\n`);
  });

  test('a file without threads is not a success', async () => {
    const { code, err } = await run(program.file, '--store', 'memory', file('empty.jsonl'));
    expect([code, err]).toEqual([1, expect.stringContaining('holds no thread')]);
  });

  test.each([
    ['exactly one file has to be named', []],
    ['there is no store "redsi"', ['--store', 'redsi', 'x']],
    ['--limit has to be a whole number from 1 on', ['--limit', '0', 'x']],
    ['--seed goes with --kill', ['--seed', '1', 'x']],
    ["Unknown option '--kil'", ['--kil', 'x']],
    ['cannot be read: ENOENT', [join(folder, 'nowhere.jsonl')]],
  ])('called wrongly says so and how it is called: %s', async (what, args) => {
    const { code, out, err } = await run(program.file, ...args);
    expect([code, out]).toEqual([2, []]);
    expect(err).toContain(what);
    expect(err).toContain('usage: npm run replay');
  });

  test('explains itself', async () => {
    const { code, out } = await run(program.file, '--help');
    expect([code, out[0]]).toEqual([0, expect.stringContaining('usage: npm run replay')]);
  });
});

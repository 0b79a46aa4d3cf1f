import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundleProgram } from '../../test/program.ts';
import * as made from '../../test/recordings.ts';
import { firstFault, summary } from '../outcome.ts';
import { readRecordings } from '../recording/read.ts';
import { killAll } from './kill-all.ts';
import { openLedger } from './ledger.ts';

let program: Awaited<ReturnType<typeof bundleProgram>>;
beforeAll(async () => {
  program = await bundleProgram();
});
afterAll(() => program?.remove());

function sqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-kill-test-'));
  const path = join(folder, 'threads.sqlite');
  const handles = { writer: createSqliteCheckpointer({ path }), reader: createSqliteCheckpointer({ path }) };
  onTestFinished(async () => {
    await Promise.all([handles.writer.close(), handles.reader.close()]);
    rmSync(folder, { recursive: true });
  });
  return { handles, folder, place: { name: 'sqlite', at: [path] } as const };
}

/** The same threads again and again, each time under another id and so killed somewhere else. */
function many() {
  const rounds = ['1', '2', '3', '4'];
  const lines = rounds.flatMap((round) => made.all.map((line) => line.replace('{"id":"', `{"id":"${round}-`)));
  return readRecordings(lines.join('\n')).recordings;
}

test('killed anywhere, another process goes on: nothing differs, no finished tool runs again', {
  timeout: 120_000,
}, async () => {
  const { handles, folder, place } = sqlite();
  const outcomes = await killAll(many(), handles, { place, folder, seed: 7, program: program.file });
  expect(firstFault(outcomes)).toBeUndefined();
  expect(summary('sqlite', outcomes, true)).toBe(
    'sqlite: 20 threads, 100 messages, 20 kills, 0 differ, 0 finished tools repeated',
  );
});

test('killed in every step of a thread in turn: nothing differs, no finished tool runs again', {
  timeout: 120_000,
}, async () => {
  const { handles, folder, place } = sqlite();
  const { recordings } = readRecordings(`${made.unanswered}\n${made.inside}`);
  const killing = { place, folder, seed: 7, program: program.file, everyStep: true };
  const outcomes = await killAll(recordings, handles, killing);
  expect(firstFault(outcomes)).toBeUndefined();
  expect(outcomes.every(({ killed }) => killed)).toBe(true);
  // The saves of each: claims, thoughts, results and acts, and what marks that the recording ends.
  const kills = (id: string) => outcomes.filter(({ threadId }) => threadId.startsWith(`${id}, killed in step `)).length;
  expect([kills('unanswered'), kills('inside')]).toEqual([9, 4]);
});

test('the same seed kills at the same point, another one elsewhere', async () => {
  const { recordings } = readRecordings(made.unanswered);
  const ledgerOf = async (seed: number) => {
    const { handles, folder, place } = sqlite();
    await killAll(recordings, handles, { place, folder, seed, program: program.file });
    return openLedger(join(folder, 'sqlite-0.ledger')).read();
  };
  const ledgers = await Promise.all([1, 1, 2, 3, 4].map(ledgerOf));
  expect(ledgers[0]).toEqual(ledgers[1]);
  expect(new Set(ledgers.map((ledger) => JSON.stringify(ledger))).size).toBeGreaterThan(1);
});

test('a store that forgets what it acknowledged is found out: finished tools run again', {
  timeout: 120_000,
}, async () => {
  const { folder, place } = sqlite();
  // Who goes on finds nothing of what the store told the killed process it had saved.
  const empty = createMemoryCheckpointer();
  const handles = { writer: empty, reader: empty };
  const outcomes = await killAll(many(), handles, { place, folder, seed: 7, program: program.file });
  expect(firstFault(outcomes)).toMatch(/ran \d finished tools? again$/);
});

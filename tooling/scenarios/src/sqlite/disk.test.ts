import { execFileSync } from 'node:child_process';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { calls, says, startProcess, told, tool } from '../agent.ts';
import { deadlines } from '../deadlines.ts';
import { startChild } from '../host/start-child.ts';
import { loaded } from '../stored.ts';
import { opened } from '../stores.ts';
import { openFile, ownFile } from './files.ts';

it('[G2] a database at its largest is an outage whose cause is told, and everything is stored once it may grow again', async () => {
  const { path } = ownFile();
  const database = new Database(path);
  const checkpointer = opened(() => createSqliteCheckpointer({ database }));
  const fills = tool('fills', () => {
    const { page_count: pages } = database.prepare('pragma page_count').get() as { page_count: number };
    database.exec(`pragma max_page_count = ${pages}`);
    return 'x'.repeat(500_000);
  });
  const process = startProcess(checkpointer, [calls('fills', {}), says('Done.')], [fills], deadlines);
  const agent = process.agent('t');
  expect(await agent.run('Go')).toMatchObject({ answer: 'Done.', durable: false });
  expect(process.warnings).toHaveLength(1);
  expect(process.warnings[0]?.fields).toMatchObject({ code: 'unavailable', cause: expect.stringMatching(/full/) });
  const before = await loaded(openFile(path), 't');
  expect(before.state.history.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);

  database.exec('pragma max_page_count = 1000000');
  expect(await process.close({ deadlineMs: 20_000 })).toEqual({ unsaved: [] });
  expect(agent.status()).toMatchObject({ durable: true, volatile: false });
  expect(told(process)).toEqual(['volatile', 'rejoined']);
  const { state } = await loaded(openFile(path), 't');
  expect(state.history.map(({ content }) => content)).toEqual([
    'Be helpful.',
    'Go',
    null,
    'x'.repeat(500_000),
    'Done.',
  ]);
});

/** In a namespace of its own, so that the disk is gone with the process; not every machine permits it. */
const mounts = (command: string) => `exec unshare -Urm sh -c '${command} && exec "$@"' sh "$@"`;

function canMount(): boolean {
  try {
    execFileSync('sh', ['-c', mounts('mount -t tmpfs -o size=2m tmpfs /mnt'), 'sh', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!canMount())('a small disk (where the machine lets a test mount one)', () => {
  it('[G2] that is full is an outage whose cause is told, and everything is stored once there is space', async () => {
    const { folder, path } = ownFile();
    const shell = mounts(`mount -t tmpfs -o size=2m tmpfs ${folder}`);
    const child = startChild({ trouble: 'disk', store: 'sqlite', url: path, shell });
    const end = await child.ended();
    expect(end).toMatchObject({ outcome: 'Done.', durable: false, unsaved: [] });
    expect(end.warnings).toHaveLength(1);
    expect(end.warnings[0]?.fields).toMatchObject({ code: 'unavailable', cause: expect.stringMatching(/full/) });
    expect(end.events).toContain('rejoined');
  });
});

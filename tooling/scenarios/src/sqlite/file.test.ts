import { chmodSync, chownSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { lines, told } from '../agent.ts';
import { startChild } from '../host/start-child.ts';
import { loaded } from '../stored.ts';
import { wholeHistory } from '../troubled.ts';
import { comeBack, runInto } from '../volatile-run.ts';
import { openFile, ownFile } from './files.ts';

/** All of it is in the one file then, so that it can be moved. */
function intoOneFile(path: string): void {
  const database = new Database(path);
  database.prepare('pragma wal_checkpoint(truncate)').all();
  database.close();
}

it('[G3] a file that is removed under a run is an outage, is not made anew, and has everything when it is back', async () => {
  const { path } = ownFile();
  const outage = await runInto({
    open: () => openFile(path),
    async breakIt() {
      intoOneFile(path);
      renameSync(path, `${path}.aside`);
    },
    mend: async () => renameSync(`${path}.aside`, path),
  });
  expect(existsSync(path)).toBe(false);
  await comeBack(outage);
  expect(told(outage.process)).toEqual(['volatile', 'rejoined']);
});

it('[G3] a folder that is removed under a run is an outage, and the file has everything when it is back', async () => {
  const { folder } = ownFile();
  const [data, aside] = [join(folder, 'data'), join(folder, 'aside')];
  mkdirSync(data);
  const outage = await runInto({
    open: () => openFile(join(data, 'threads.sqlite')),
    breakIt: async () => renameSync(data, aside),
    mend: async () => renameSync(aside, data),
  });
  expect(existsSync(data)).toBe(false);
  await comeBack(outage);
  expect(told(outage.process)).toEqual(['volatile', 'rejoined']);
});

it('[G3] a folder that is missing at the start is a configuration error that names it', () => {
  const path = join(ownFile().folder, 'missing', 'threads.sqlite');
  const create = () => createSqliteCheckpointer({ path });
  expect(create).toThrow(expect.objectContaining({ code: 'configuration', path: 'path' }));
  expect(create).toThrow(join(path, '..'));
});

/** Root may write everything: then the child is somebody else. */
const user = process.getuid?.() === 0 ? 65_534 : undefined;

it('[G3] a file and folder that the process may not write is an outage, and all is stored once it may', async () => {
  const { folder, path } = ownFile();
  await openFile(path).save('other', { state: { history: [] } });
  intoOneFile(path);
  const permit = (mode: number) => {
    for (const name of [folder, path, `${path}-wal`, `${path}-shm`].filter((name) => existsSync(name))) {
      chmodSync(name, name === folder ? mode | 0o111 : mode);
      if (user !== undefined) chownSync(name, user, user);
    }
  };
  permit(0o444);
  const child = startChild({ trouble: 'told', store: 'sqlite', url: path, ...(user === undefined ? {} : { user }) });
  await child.said('break it');
  child.answer();
  await child.said('mend it');
  permit(0o644);
  child.answer();
  const end = await child.ended();
  expect(end).toMatchObject({ outcome: 'Done.', durable: false, unsaved: [] });
  expect(end.warnings).toHaveLength(1);
  expect(end.events.filter((type) => ['volatile', 'rejoined'].includes(type))).toEqual(['volatile', 'rejoined']);
  expect(lines((await loaded(openFile(path), 't')).state.history)).toEqual(wholeHistory);
});

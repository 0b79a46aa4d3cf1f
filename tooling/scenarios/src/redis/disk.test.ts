import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { surviveInOneSave } from '../volatile-run.ts';
import { open, ownRedis } from './support.ts';

const patient = { timeout: 10_000 };
const persistence = (server: RedisServer) => expect.poll(() => server.command('INFO', 'persistence'), patient);

const snapshots = await ownRedis('--enable-protected-configs', 'yes');

describe.skipIf(!snapshots)('a Redis that cannot write its snapshots', () => {
  const server = snapshots as RedisServer;

  it('[B12] is an outage until it can', async () => {
    const cause = await surviveInOneSave({
      open: () => open(server),
      async breakIt() {
        await rm(server.dir, { recursive: true });
        await server.command('CONFIG', 'SET', 'save', '1 1');
        await server.command('BGSAVE');
        await persistence(server).toContain('rdb_last_bgsave_status:err');
      },
      async mend() {
        await mkdir(server.dir);
        await server.command('CONFIG', 'SET', 'dir', server.dir, 'save', '');
        await server.command('BGSAVE');
        await persistence(server).toContain('rdb_last_bgsave_status:ok');
      },
    });
    expect(cause).toContain('MISCONF');
  });
});

const logged = await ownRedis('--appendonly', 'yes');
/** Every write to it says that there is no space left; so it needs nobody's permission to mount a small disk. */
const fullDisk = '/dev/full';

describe.skipIf(!logged || !existsSync(fullDisk))('a Redis whose disk is full', () => {
  const server = logged as RedisServer;

  /** Redis begins another file for what comes from now on. */
  async function rewrite(): Promise<void> {
    await server.command('BGREWRITEAOF');
    await persistence(server).toMatch(/aof_rewrite_in_progress:0[\s\S]*aof_last_bgrewrite_status:ok/);
  }

  /** What comes from now on goes to the full disk, under the name that is returned. */
  async function fill(): Promise<string> {
    const folder = join(server.dir, 'appendonlydir');
    const manifest = await readFile(join(folder, 'appendonly.aof.manifest'), 'utf8');
    const [, name, number] = /file (\S+?)\.(\d+)\.incr\.aof/.exec(manifest) ?? [];
    const file = join(folder, `${name}.${Number(number) + 1}.incr.aof`);
    await symlink(fullDisk, file);
    await rewrite();
    return file;
  }

  it('[B13] and that writes to it every second is an outage until there is space again', async () => {
    const cause = await surviveInOneSave({
      open: () => open(server),
      async breakIt() {
        await fill();
        const write = () => server.command('SET', 'filler', 'x').catch(String);
        await expect.poll(write, patient).toContain('MISCONF Errors writing to the AOF file: No space left on device');
      },
      mend: rewrite,
    });
    expect(cause).toContain('MISCONF');
  });

  it('[B13] [B2] and that writes to it at once ends, and has all it acknowledged when it is back', async () => {
    let file = '';
    await surviveInOneSave({
      open: () => open(server),
      async breakIt() {
        file = await fill();
        await server.command('CONFIG', 'SET', 'appendfsync', 'always');
      },
      async mend() {
        expect(server.running()).toBe(false);
        await rm(file);
        await writeFile(file, '');
        await server.start();
      },
    });
  });
});

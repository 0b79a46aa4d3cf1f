import { readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { calls, lines, says, startProcess, told, tool } from '../agent.ts';
import { unhurried } from '../deadlines.ts';
import { loaded } from '../stored.ts';
import { expectQuiet, expectWhole, troubled } from '../troubled.ts';
import { appending, rewindable } from './rewind.ts';
import { open, ownRedis } from './support.ts';

const redis = await ownRedis(...appending);

describe.skipIf(!redis)('a Redis that comes back with an older state', () => {
  const server = redis as RedisServer;
  const { appended, copy, restoreCopy, rollBack } = rewindable(server);

  /** As a power cut may leave it: what was appended last is not whole. */
  async function loseTail(): Promise<void> {
    await server.kill();
    const names = (await readdir(appended)).filter((name) => name.endsWith('.incr.aof'));
    const file = join(appended, names.at(-1) ?? '');
    await truncate(file, (await stat(file)).size - 7);
    await server.start();
  }

  it('[B4] of the run itself is sent all that it has lost', async () => {
    const process = troubled(open(server), { first: copy, second: rollBack }, unhurried);
    expect(await process.agent('back').run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process, ['rolled_back']);
    await expectWhole(open(server), 'back');
  });

  it('[B4] of a run that went on in memory is sent all that it has lost and all that it has missed', async () => {
    const process = troubled(open(server), { first: copy, second: () => server.kill() });
    expect(await process.agent('away').run('Go')).toMatchObject({ answer: 'Done.', durable: false });
    await restoreCopy();
    expect(await process.close({ deadlineMs: 20_000 })).toEqual({ unsaved: [] });
    expect(told(process)).toEqual(['volatile', 'rolled_back', 'rejoined']);
    expect(process.warnings).toHaveLength(1);
    await expectWhole(open(server), 'away');
  });

  it('[B4] from which another process went on is left to that one', async () => {
    const other = troubled(open(server), { first: () => {} }, unhurried);
    const overtake = async () => {
      await rollBack();
      expect(await other.agent('ours').resume()).toMatchObject({ answer: 'Done.', durable: true });
    };
    const process = troubled(open(server), { first: copy, second: overtake }, unhurried);
    await expect(process.agent('ours').run('Go')).rejects.toMatchObject({ code: 'taken_over' });
    const { state, revision } = await loaded(open(server), 'ours');
    expect([revision, state.run?.epoch]).toEqual([7, 2]);
    await expectWhole(open(server), 'ours');
  });

  it('[B4] of another process is not written over by a run that does not know it', async () => {
    const turnBack = tool('turn_back', async () => {
      await rollBack();
      return 'turned back';
    });
    const turns = [says('One.'), says('Two.'), calls('turn_back', {}), says('Three.')];
    const run = (input: string) => startProcess(open(server), turns, [turnBack], unhurried).agent('theirs').run(input);
    await run('First');
    await copy();
    const theirs = await loaded(open(server), 'theirs');
    await run('Second');
    await expect(run('Third')).rejects.toMatchObject({ code: 'taken_over' });
    expect(await loaded(open(server), 'theirs')).toEqual(theirs);
  });

  it('[B5] for its last write was cut short: it is sent that one again', async () => {
    const process = troubled(open(server), { first: loseTail }, unhurried);
    expect(await process.agent('cut').run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process, ['rolled_back']);
    await expectWhole(open(server), 'cut');
  });

  it('[B5] for the only write of a thread was cut short: the thread is written again', async () => {
    const answer = async () => {
      await loseTail();
      expect(await open(server).load('lost')).toEqual({ found: false, tombstone: null });
      return says('Hello.');
    };
    const process = startProcess(open(server), [answer], [], unhurried);
    expect(await process.agent('lost').run('Hi')).toMatchObject({ durable: true });
    expectQuiet(process, ['vanished']);
    const { state } = await loaded(open(server), 'lost');
    expect(lines(state.history)).toEqual(['system: Be helpful.', 'user: Hi', 'assistant: Hello.']);
  });
});

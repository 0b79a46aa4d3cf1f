import type { RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { calls, lines, says, startProcess, told, tool } from '../agent.ts';
import { unhurried } from '../deadlines.ts';
import { loaded, revisionsOf } from '../stored.ts';
import { expectQuiet, expectWhole, troubled } from '../troubled.ts';
import { comeBack, runInto, surviveInOneSave } from '../volatile-run.ts';
import { holdWrites, open, ownRedis } from './support.ts';

const kept = await ownRedis('--appendonly', 'yes', '--appendfsync', 'always');

describe.skipIf(!kept)('a Redis that keeps its data', () => {
  const server = kept as RedisServer;

  it('[B2] is killed in the middle of a run, and gets all of the run in one save when it is back', async () => {
    await surviveInOneSave({ open: () => open(server), breakIt: () => server.kill(), mend: () => server.start() });
  });

  it('[B2] is killed during a save and is back at once, and nobody hears of it', async () => {
    let released: Promise<unknown> = Promise.resolve();
    const first = async () => {
      ({ released } = await holdWrites(server, async () => {
        await server.kill();
        await server.start();
      }));
    };
    const process = troubled(open(server), { first }, unhurried);
    expect(await process.agent('saved').run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    await released;
    expectQuiet(process);
    await expectWhole(open(server), 'saved');
  });
});

const emptied = await ownRedis();

describe.skipIf(!emptied)('a Redis that keeps nothing', () => {
  const server = emptied as RedisServer;

  it('[B3] is killed in the middle of a run, and gets the whole thread as a new record when it is back', async () => {
    const outage = await runInto({
      open: () => open(server),
      breakIt: () => server.kill(),
      mend: () => server.start(),
    });
    const { life, revision } = await comeBack(outage);
    expect(told(outage.process)).toEqual(['volatile', 'vanished', 'rejoined']);
    expect([life.after, revision]).toEqual([null, 1]);
    expect(await revisionsOf(outage.open(), outage.threadId)).toEqual([1, 1, 1, 1, 1]);
  });

  it('[B3] is back at once: a thread of two runs is written again from memory, and nobody is warned', async () => {
    const store = open(server);
    const restart = tool('restart', async () => {
      await server.kill();
      await server.start();
      return 'restarted';
    });
    const turns = [says('Hello.'), calls('restart', {}), says('Done.')];
    const run = (input: string) => {
      const process = startProcess(store, turns, [restart], unhurried);
      return { process, result: process.agent('t').run(input) };
    };
    await run('Hi').result;
    const before = await loaded(store, 't');
    const { process, result } = run('Go');
    expect(await result).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process, ['vanished']);
    const after = await loaded(store, 't');
    expect(lines(after.state.history)).toEqual([
      'system: Be helpful.',
      'user: Hi',
      'assistant: Hello.',
      'user: Go',
      'assistant: null',
      'tool: restarted',
      'assistant: Done.',
    ]);
    expect(after.etag).not.toBe(before.etag);
    expect(after.life).toEqual({ born: expect.not.stringContaining(before.life.born), after: null });
  });
});

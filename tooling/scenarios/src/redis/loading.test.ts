import type { RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { lines, says, startProcess } from '../agent.ts';
import { unhurried } from '../deadlines.ts';
import { overheard } from '../overheard.ts';
import { loaded } from '../stored.ts';
import { expectQuiet } from '../troubled.ts';
import { surviveInOneSave } from '../volatile-run.ts';
import { open, ownRedis } from './support.ts';

const redis = await ownRedis();

describe.skipIf(!redis)('a Redis that loads its data', () => {
  const server = redis as RedisServer;

  /** Loads for 20 seconds, if it is not hurried. */
  async function restartSlowly(): Promise<void> {
    await server.command('DEBUG', 'POPULATE', '20000');
    await server.command('SAVE');
    await server.kill();
    await server.start('--key-load-delay', '1000', '--loading-process-events-interval-bytes', '1024');
    await expect(server.command('PING')).rejects.toThrow('LOADING');
  }
  async function hurry(): Promise<void> {
    await server.command('CONFIG', 'SET', 'key-load-delay', '0');
    await expect.poll(() => server.command('PING').catch(String), { timeout: 10_000 }).toBe('PONG');
  }

  it('[B11] for longer than a run waits gets all of the run in one save afterwards', async () => {
    const cause = await surviveInOneSave({ open: () => open(server), breakIt: restartSlowly, mend: hurry });
    expect(cause).toContain('(LOADING)');
  });

  it('[B11] while a run waits for it: the run goes on with the thread, which was never absent', async () => {
    const store = open(server);
    await startProcess(store, [says('One.')])
      .agent('t')
      .run('First');
    await restartSlowly();
    const failures: unknown[] = [];
    const waiting = overheard(open(server), async (error) => {
      failures.push(error);
      await hurry();
    });
    const process = startProcess(waiting, [says('From scratch.'), says('Two.')], [], unhurried);
    expect(await process.agent('t').run('Second')).toMatchObject({ answer: 'Two.', durable: true });
    expectQuiet(process);
    expect(failures).toMatchObject([{ code: 'unavailable', applied: 'no' }]);
    const { state } = await loaded(store, 't');
    const runs = ['user: First', 'assistant: One.', 'user: Second', 'assistant: Two.'];
    expect(lines(state.history)).toEqual(['system: Be helpful.', ...runs]);
  });
});

import type { Logger } from '@agent-state/core';
import type { RedisServer } from '@agent-state/services';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { says, startProcess } from '../agent.ts';
import { unhurried } from '../deadlines.ts';
import { expectQuiet, expectWhole, troubled } from '../troubled.ts';
import { keyOf, open, ownRedis } from './support.ts';

const redis = await ownRedis();
const silent: Logger = { info() {}, warn() {}, error() {} };

describe.skipIf(!redis)('a Redis that evicts any key', () => {
  const server = redis as RedisServer;
  const configure = (maxmemory: number, policy: string) =>
    server.command('CONFIG', 'SET', 'maxmemory', String(maxmemory), 'maxmemory-policy', policy);
  afterEach(() => configure(0, 'noeviction'));

  /** Fills the memory until the thread has had to make room. */
  async function evict(threadId: string): Promise<void> {
    const [, used] = /used_memory:(\d+)/.exec(String(await server.command('INFO', 'memory'))) ?? [];
    await configure(Number(used) + 500_000, 'allkeys-lru');
    const fill = async (round: number): Promise<void> => {
      await server.command('DEBUG', 'POPULATE', '5000', `filler${round}`, '100');
      if ((await server.command('EXISTS', keyOf(threadId))) === 1) await fill(round + 1);
    };
    await fill(1);
    expect(await server.command('INFO', 'stats')).toMatch(/evicted_keys:[1-9]/);
    await configure(0, 'allkeys-lru');
  }

  it('[B10] gets a thread that it has evicted during a run again from memory, whole', async () => {
    const process = troubled(open(server, { logger: silent }), { first: () => evict('t') }, unhurried);
    expect(await process.agent('t').run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process, ['vanished']);
    await expectWhole(open(server, { logger: silent }), 't');
  });

  it('[B10] is warned of when an agent first reaches it, once, on the console if nowhere else', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const answerTwice = async (threadId: string) => {
      const { agent } = startProcess(open(server), [says('Hello.'), says('Still here.')]);
      await agent(threadId).run('Hi');
      await agent(threadId).run('And now?');
    };
    await answerTwice('kept');
    expect(warn).not.toHaveBeenCalled();
    await configure(0, 'allkeys-lru');
    await answerTwice('evictable');
    expect(warn.mock.calls).toEqual([[expect.stringContaining('evict'), { policy: 'allkeys-lru' }]]);
  });

  it('[B10] is warned of by the logger that is given', async () => {
    await configure(0, 'allkeys-lru');
    const warn = vi.fn<Logger['warn']>();
    const store = open(server, { logger: { ...silent, warn } });
    await startProcess(store, [says('Hello.')])
      .agent('said')
      .run('Hi');
    expect(warn).toHaveBeenCalledWith({ policy: 'allkeys-lru' }, expect.stringContaining('evict'));
  });
});

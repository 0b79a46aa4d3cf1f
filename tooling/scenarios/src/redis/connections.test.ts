import { type RedisServer, startProxy } from '@agent-state/services';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lines, says, startProcess } from '../agent.ts';
import { unhurried } from '../deadlines.ts';
import { overheard } from '../overheard.ts';
import { loaded, revisionsOf } from '../stored.ts';
import { expectQuiet, expectWhole, troubled } from '../troubled.ts';
import { holdWrites, keyOf, open, ownRedis } from './support.ts';

const redis = await ownRedis();

describe.skipIf(!redis)('a connection to Redis that is lost', () => {
  const server = redis as RedisServer;
  const killConnections = () => server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');

  it('[B17] between two saves is made again, and nobody hears of it', async () => {
    const process = troubled(open(server), { first: killConnections, second: killConnections }, unhurried);
    expect(await process.agent('between').run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process);
    await expectWhole(open(server), 'between');
  });

  it('[B17] during a save is made again, and nobody hears of it', async () => {
    let released: Promise<unknown> = Promise.resolve();
    const first = async () => {
      ({ released } = await holdWrites(server, killConnections));
    };
    const process = troubled(open(server), { first }, unhurried);
    expect(await process.agent('during').run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    await released;
    expectQuiet(process);
    await expectWhole(open(server), 'during');
  });

  async function proxied() {
    const proxy = await startProxy(server.port);
    onTestFinished(() => proxy.stop());
    return { proxy, openProxied: () => open({ url: `redis://127.0.0.1:${proxy.port}` }) };
  }

  it.each([
    ['claim', 2],
    ['first thought', 3],
    ['first result', 4],
    ['second thought', 5],
    ['second result', 6],
    ['answer', 7],
  ])('[B18] with the acknowledgement of the %s: it is found in the store, and not done twice', async (call, nth) => {
    const { proxy, openProxied } = await proxied();
    const store = openProxied();
    // The server knows the scripts from here on, so that each call is one request.
    await startProcess(store, [says('Hello.')])
      .agent(`before ${call}`)
      .run('Hi');
    let calls = 0;
    const shot = proxy.swallowReply((request) => {
      if (request.includes('evalsha')) calls += 1;
      return calls === nth;
    });
    const failures: unknown[] = [];
    const heard = overheard(store, async (error) => failures.push(error));
    const process = troubled(heard, { first: () => {} }, unhurried);
    expect(await process.agent(call).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    await shot.fired;
    expect(failures).toMatchObject([{ code: 'unavailable', applied: 'maybe' }]);
    expectQuiet(process);
    await expectWhole(open(server), call);
    expect(await revisionsOf(open(server), call)).toEqual([2, 3, 4, 5, 6]);
  });

  it('[B19] with a part of what was loaded: it is loaded again, whole, wherever it was cut', async () => {
    const { proxy, openProxied } = await proxied();
    const seed = startProcess(open(server), [says('Hello.')]);
    await seed.agent('thread').run('Hi');
    const store = openProxied();
    await store.load('another');
    const before = proxy.receivedBytes;
    await store.load('thread');
    const length = proxy.receivedBytes - before;
    expect(length).toBeGreaterThan(500);

    const cuts = Array.from({ length: 28 }, (_, index) => Math.round((index * length) / 27));
    const cutAt = async (bytes: number): Promise<void> => {
      const threadId = `thread${bytes}`;
      await seed.agent(threadId).run('Hi');
      const shot = proxy.limitData(
        bytes,
        (request) => request.includes('evalsha') && request.includes(keyOf(threadId)),
      );
      const process = startProcess(openProxied(), [says('From scratch.'), says('Again.')], [], unhurried);
      expect(await process.agent(threadId).run('And now?')).toMatchObject({ answer: 'Again.', durable: true });
      await shot.fired;
      expectQuiet(process);
      const { state } = await loaded(store, threadId);
      const runs = ['user: Hi', 'assistant: Hello.', 'user: And now?', 'assistant: Again.'];
      expect(lines(state.history)).toEqual(['system: Be helpful.', ...runs]);
    };
    // A few at a time: each connects with a client of its own, twice.
    for (let first = 0; first < cuts.length; first += 4) await Promise.all(cuts.slice(first, first + 4).map(cutAt));
  });
});

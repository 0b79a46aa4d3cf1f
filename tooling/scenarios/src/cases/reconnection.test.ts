import { randomUUID } from 'node:crypto';
import { createThreads, type Model } from '@agent-state/core';
import type { RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { calls, says, startProcess, told, tool } from '../agent.ts';
import { deadlines } from '../deadlines.ts';
import { open, ownRedis } from '../redis/support.ts';

const redis = await ownRedis('--appendonly', 'yes', '--appendfsync', 'always');
const patient = { timeout: 20_000 };

describe.skipIf(!redis)('a Redis that is gone for a while', () => {
  const server = redis as RedisServer;
  /** A tool that stops the server, and a model that calls it where it is told to, and answers anything else. */
  const stop = tool('stop', () => server.kill());
  const scripted: Model = {
    name: 'tireless',
    generate: async ({ messages }) => (messages.at(-1)?.content === 'stop' ? calls('stop', {}) : says('Yes.')),
  };
  const start = () => startProcess(open(server), [], [stop], { ...deadlines, models: { scripted } });
  const inputs = async (threadId: string) =>
    (await createThreads(open(server)).get(threadId))?.history
      .filter(({ role }) => role === 'user')
      .map(({ content }) => content);

  it('[S-REC-01] is written to again while the program runs, with all that came meanwhile, and is said to be back once', async () => {
    const process = start();
    const agent = process.agent(randomUUID());
    expect(await agent.run('before')).toMatchObject({ durable: true });
    expect(await agent.run('stop')).toMatchObject({ durable: false });
    expect(await agent.run('meanwhile')).toMatchObject({ durable: false });
    expect(agent.status()).toMatchObject({ durable: false, volatile: true });
    await server.start();
    const asked = ['before', 'stop', 'meanwhile'];
    const ask = async () => {
      asked.push(`once more ${asked.length}`);
      return (await agent.run(asked.at(-1) as string)).durable;
    };
    await expect.poll(ask, patient).toBe(true);
    expect(agent.status()).toEqual({ running: false, durable: true, volatile: false, unsavedSteps: 0 });
    expect(told(process)).toEqual(['volatile', 'rejoined']);
    expect(process.warnings).toHaveLength(1);
    expect(await inputs(agent.threadId)).toEqual(asked);
  });

  it('[S-REC-02] from before the program started is found once it is there, and gets the threads of the time before', async () => {
    await server.kill();
    const process = start();
    const agents = [process.agent(randomUUID()), process.agent(randomUUID())];
    const results = await Promise.all(agents.map((agent) => agent.run('too early')));
    expect(results.map(({ durable }) => durable)).toEqual([false, false]);
    await server.start();
    for (const agent of agents) {
      await expect.poll(() => agent.status(), patient).toMatchObject({ durable: true, volatile: false });
      expect(await inputs(agent.threadId)).toEqual(['too early']);
      expect(await agent.run('in time')).toMatchObject({ durable: true });
    }
    expect(process.warnings).toHaveLength(1);
  });
});

import { randomUUID } from 'node:crypto';
import {
  type AgentFactoryOptions,
  AgentStateError,
  type Checkpointer,
  createThreads,
  type Logger,
} from '@agent-state/core';
import { createKvCheckpointer } from '@agent-state/kv';
import type { RedisServer } from '@agent-state/services';
import { Keyv } from 'keyv';
import { describe, expect, it, onTestFinished } from 'vitest';
import { calls, lines, says, startProcess, tool } from '../agent.ts';
import { open, ownRedis } from '../redis/support.ts';
import { opened, stores } from '../stores.ts';

const broken = () => {
  throw new Error('telemetry is down');
};
const rejecting = () => Promise.reject(new Error('telemetry is down'));

const listeners: readonly (readonly [name: string, options: Partial<AgentFactoryOptions>])[] = [
  ['a listener that throws', { onEvent: broken }],
  ['a listener that rejects', { onEvent: rejecting as () => void }],
  ['a logger that throws', { logger: { info: broken, warn: broken, error: broken } }],
  ['a logger that rejects', { logger: { info: rejecting, warn: rejecting, error: rejecting } as unknown as Logger }],
  ['a listener and a logger that throw', { onEvent: broken, logger: { info: broken, warn: broken, error: broken } }],
];

/** What would have ended a process that has no handler of its own. */
function deathsOf(): unknown[] {
  const deaths: unknown[] = [];
  const note = (error: unknown) => void deaths.push(error);
  const events = ['uncaughtException', 'unhandledRejection'] as const;
  for (const event of events) process.on(event, note);
  onTestFinished(() => {
    for (const event of events) process.off(event, note);
  });
  return deaths;
}

/** A store that is out of reach for as long as a test says so. */
function fragile(checkpointer: Checkpointer): {
  readonly checkpointer: Checkpointer;
  readonly reach: (is: boolean) => void;
} {
  let isReachable = true;
  return {
    checkpointer: {
      ...checkpointer,
      async save(threadId, write) {
        if (isReachable) return checkpointer.save(threadId, write);
        throw new AgentStateError('unavailable', 'Out of reach.', { applied: 'no' });
      },
    },
    reach: (is) => {
      isReachable = is;
    },
  };
}

describe.each(stores)('on %s', (_name, openStore) => {
  it.each(listeners)('[F6] %s touches no run and ends no process, in an outage neither', async (_what, options) => {
    const deaths = deathsOf();
    const threadId = randomUUID();
    const { checkpointer, reach } = fragile(opened(openStore));
    const breaking = tool('break', () => reach(false));
    const turns = [calls('break', {}), says('Done.'), says('Still here.')];
    // No second try fits into it: what is refused once is an outage.
    const deadlines = { storeCallMs: 2_000, storeBudgetMs: 2_000 };
    const process = startProcess(checkpointer, turns, [breaking], { ...deadlines, ...options });
    const agent = process.agent(threadId);
    expect(await agent.run('Go')).toMatchObject({ answer: 'Done.', durable: false });
    reach(true);
    await agent.close({ deadlineMs: 20_000 });
    expect(agent.status()).toMatchObject({ durable: true, volatile: false });
    expect(await agent.run('And?')).toMatchObject({ answer: 'Still here.', durable: true });
    expect(await process.close()).toEqual({ unsaved: [] });
    await new Promise((resolve) => setImmediate(resolve));
    expect(deaths).toEqual([]);
    expect(lines((await createThreads(opened(openStore)).get(threadId))?.history)?.slice(-3)).toEqual([
      'assistant: Done.',
      'user: And?',
      'assistant: Still here.',
    ]);
  });
});

it('[F6] a Keyv whose store fails, and to whose errors nobody listens, ends no process', async () => {
  const deaths = deathsOf();
  const fail = () => Promise.reject(new Error('gone'));
  const store = { opts: {}, get: fail, set: fail, has: fail, delete: fail, clear: fail };
  const checkpointer = opened(() => createKvCheckpointer({ keyv: new Keyv({ store, throwOnErrors: true }) }));
  const deadlines = { storeCallMs: 50, storeBudgetMs: 60 };
  const process = startProcess(checkpointer, [says('Done.')], [], deadlines);
  expect(await process.agent('t').run('Go')).toMatchObject({ answer: 'Done.', durable: false });
  await process.close({ deadlineMs: 1 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(deaths).toEqual([]);
});

const redis = await ownRedis();

it.skipIf(!redis)('[F6] a Redis that dies, and to whose client nobody listens, ends no process', async () => {
  const deaths = deathsOf();
  const server = redis as RedisServer;
  const checkpointer = open(server);
  const process = startProcess(checkpointer, [says('One.')], [], {
    storeCallMs: 300,
    storeBudgetMs: 400,
  });
  expect(await process.agent('t').run('First')).toMatchObject({ durable: true });
  await server.kill();
  expect(await process.agent('t').run('Second')).toMatchObject({ durable: false });
  await process.close({ deadlineMs: 1 });
  expect(deaths).toEqual([]);
});

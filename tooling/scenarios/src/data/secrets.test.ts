import { inspect } from 'node:util';
import { type Checkpointer, createAgentFactory } from '@agent-state/core';
import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import { createKvCheckpointer } from '@agent-state/kv';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import { freePort } from '@agent-state/services';
import { Keyv } from 'keyv';
import { expect, it, onTestFinished } from 'vitest';
import { calls, says, startProcess, tool } from '../agent.ts';

const password = 'pa55word-of-mine';
const apiKey = 'sk-live-key-of-mine';
const timeouts = { serverSelectionTimeoutMS: 600, connectTimeoutMS: 600, socketTimeoutMS: 600 };
const deadlines = { storeCallMs: 800, storeBudgetMs: 1_600 };

/** Stores that cannot be reached, or refuse whoever comes; the URL of each holds a password. */
const unreachable: readonly (readonly [name: string, open: (port: number) => Checkpointer])[] = [
  [
    'redis',
    (port) =>
      createRedisCheckpointer({
        url: `redis://user:${password}@127.0.0.1:${port}`,
        connectTimeoutMs: 500,
        commandTimeoutMs: 500,
      }),
  ],
  ['mongo', (port) => createMongoCheckpointer({ url: `mongodb://user:${password}@127.0.0.1:${port}/`, ...timeouts })],
  [
    'kv',
    (port) => {
      const keyv = new Keyv({ throwOnErrors: true, store: quoting(`redis://user:${password}@127.0.0.1:${port}`) });
      keyv.on('error', () => {});
      return createKvCheckpointer({ keyv });
    },
  ],
];

/** A store whose errors quote what it was told, as those of some databases do. */
function quoting(url: string) {
  const fail = async (...said: unknown[]): Promise<never> => {
    throw new Error(`${url} does not answer to ${JSON.stringify(said)}`);
  };
  return { opts: {}, get: fail, set: fail, has: fail, delete: fail, clear: fail };
}

/** All that is told of an error: its fields, its stack, its causes. */
const told = (value: unknown): string => inspect(value, { depth: 20, showHidden: true, maxStringLength: null });

it.concurrent.each(unreachable)(
  '[D9] a run on %s that is out of reach tells no password, argument or content',
  async (_name, open) => {
    const checkpointer = open(await freePort());
    const leaky = tool('leaky', () => {
      throw new Error(`401: ${apiKey} was refused`);
    });
    const turns = [calls('leaky', { key: apiKey }), says(`The key is ${apiKey}.`)];
    const process = startProcess(checkpointer, turns, [leaky], deadlines);
    const result = await process.agent('t').run(`My key is ${apiKey}.`);
    expect(result.durable).toBe(false);
    const thrown = await Promise.all(
      [checkpointer.load('t'), checkpointer.save('t', { state: { history: [{ role: 'user', content: apiKey }] } })].map(
        (call) => call.catch((error: unknown) => error),
      ),
    );
    const throwing = startProcess(checkpointer, turns, [leaky], { ...deadlines, onStoreDown: 'throw' });
    thrown.push(
      await throwing
        .agent('t')
        .run(apiKey)
        .catch((error: unknown) => error),
    );
    await process.close({ deadlineMs: 1 });
    await checkpointer.close();

    expect(process.warnings.length).toBeGreaterThan(0);
    expect(process.events.length).toBeGreaterThan(5);
    for (const error of thrown) expect(error).toMatchObject({ code: 'unavailable' });
    const everything = told([process.events, process.warnings, throwing.events, throwing.warnings, thrown]);
    expect(everything).not.toContain(password);
    expect(everything).not.toContain(apiKey);
  },
);

it.each([
  ['a failing model', () => Promise.reject(new Error(`401 for ${apiKey}`))],
  ['an answer that cannot be stored', () => says(`${apiKey} \ud800`)],
])('[D9] %s puts no key into a warning or an event', async (_what, turn) => {
  const logged: unknown[] = [];
  const log = (...said: unknown[]) => void logged.push(said);
  const factory = createAgentFactory({
    profiles: { bot: { name: 'bot' } },
    defaultProfile: 'bot',
    models: { m: { name: 'm', generate: async () => turn() } },
    defaultModel: 'm',
    logger: { info: log, warn: log, error: log },
    onEvent: log,
  });
  onTestFinished(async () => void (await factory.close()));
  const error = await factory
    .create()
    .run(apiKey)
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'model', message: expect.not.stringContaining(apiKey) });
  expect(logged.length).toBeGreaterThan(0);
  expect(told(logged)).not.toContain(apiKey);
});

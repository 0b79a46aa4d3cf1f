import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Checkpointer } from '@agent-state/core';
import { createKvCheckpointer } from '@agent-state/kv';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { Keyv } from 'keyv';
import { type ExpectStatic, expect, it, onTestFinished } from 'vitest';
import { says, startProcess } from '../agent.ts';
import { settingsFiles, startConfigured } from './configured.ts';

const turns = [says('One.'), says('Two.')];
const twoSeconds = 'ttl_seconds = 2';

/** When the thread was seen to be gone, by the monotonic clock. */
async function gone(expect: ExpectStatic, store: Checkpointer, threadId: string): Promise<number> {
  await expect.poll(async () => (await store.load(threadId)).found, { interval: 50, timeout: 20_000 }).toBe(false);
  return performance.now();
}

async function idsListed(store: Checkpointer): Promise<readonly string[]> {
  return (await store.list({ limit: 1_000 })).threads.map(({ threadId }) => threadId);
}

/** Processes whose threads live for two seconds: where a settings file cannot name the store, the factory is told. */
const shortLived: readonly (readonly [name: string, start: () => ReturnType<typeof startConfigured>])[] = [
  ...settingsFiles.map(([name, text]) => [name, () => startConfigured(text, turns, twoSeconds)] as const),
  [
    'kv',
    async () => {
      const checkpointer = createKvCheckpointer({ keyv: new Keyv({ throwOnErrors: true }) });
      const ttl = { ttlMs: 2_000, pausedTtlMs: 2_000 };
      return { ...startProcess(checkpointer, turns, [], { ttl }), checkpointer };
    },
  ],
];

it.concurrent.for(shortLived)('[S-TTL-04] two seconds to live are two seconds on %s', async ([, start], { expect }) => {
  const threadId = randomUUID();
  const { agent, checkpointer } = await start();
  const started = performance.now();
  await agent(threadId).run('First');
  const lived = (await gone(expect, checkpointer, threadId)) - started;
  expect(lived).toBeGreaterThan(1_990);
  if (checkpointer.capabilities.list) expect(await idsListed(checkpointer)).not.toContain(threadId);
});

it.concurrent.for(settingsFiles)(
  '[S-TTL-07] a time to live that is switched on later is that of every thread saved since, on %s',
  async ([, text], { expect }) => {
    const [again, byHand, left] = [randomUUID(), randomUUID(), randomUUID()];
    const before = await startConfigured(text, turns);
    for (const threadId of [again, byHand, left]) await before.agent(threadId).run('First');

    const { agent, checkpointer } = await startConfigured(text, turns, twoSeconds);
    await agent(again).run('Second');
    const base = await checkpointer.load(byHand);
    if (!base.found) return expect.fail('there is no thread');
    const unchanged = { state: base.state, base, appendedFrom: base.length, variablesChanged: false };
    await checkpointer.save(byHand, { ...unchanged, ttl: { ttlMs: 2_000, pausedTtlMs: 2_000 } });

    await Promise.all([again, byHand].map((threadId) => gone(expect, checkpointer, threadId)));
    expect(await checkpointer.load(left)).toMatchObject({ found: true, ttl: { ttlMs: null } });
    if (checkpointer.capabilities.list) expect(await idsListed(checkpointer)).toContain(left);
  },
);

it.each<[string, () => Checkpointer]>([
  ['memory', () => createMemoryCheckpointer()],
  ['kv', () => createKvCheckpointer({ keyv: new Keyv({ throwOnErrors: true }) })],
])('[S-TTL-03] thirty days set no timer that cannot hold them, on %s', async (_name, open) => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => void warnings.push(warning);
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  const store = open();
  onTestFinished(() => store.close());
  const thirtyDays = 30 * 24 * 3_600_000;
  const options = { ttl: { ttlMs: thirtyDays, pausedTtlMs: thirtyDays } };
  await startProcess(store, turns, [], options).agent('t').run('First');
  await setImmediate();
  expect(warnings).toEqual([]);
  expect(await store.load('t')).toMatchObject({ found: true, ttl: { ttlMs: thirtyDays } });
});

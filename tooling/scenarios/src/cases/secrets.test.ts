import { inspect } from 'node:util';
import { createThreads } from '@agent-state/core';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import { freePort, type RedisServer } from '@agent-state/services';
import { describe, expect, it, onTestFinished } from 'vitest';
import { says, startProcess } from '../agent.ts';
import { ownRedis } from '../redis/support.ts';

const secret = 'S3CRET';
const redis = await ownRedis('--requirepass', 'another');

/** Whatever of a value anybody could print. */
function shown(value: unknown): string {
  const { message, stack, cause } = (value ?? {}) as Partial<Error>;
  const texts = [String(value), message, stack, JSON.stringify(value), inspect(value, { depth: 12, showHidden: true })];
  return [...texts, ...(cause === undefined ? [] : [shown(cause)])].join('\n');
}

/** All that is told to somebody by agents on a store that cannot be had: errors, events, log lines, status. */
async function allThatIsTold(url: string): Promise<string> {
  const told: unknown[] = [];
  const store = createRedisCheckpointer({ url, connectTimeoutMs: 300, commandTimeoutMs: 300 });
  onTestFinished(() => store.close());
  told.push(store, await failureOf(createThreads(store).get('t')), await failureOf(store.delete('t')));
  for (const onStoreDown of ['throw', 'volatile'] as const) {
    const options = { onStoreDown, storeCallMs: 300, storeBudgetMs: 400 };
    const { agent, events, warnings, close } = startProcess(store, [says('One.')], [], options);
    const one = agent('t');
    told.push(await failureOf(one.run('First')), one.status(), await close({ deadlineMs: 10 }), events, warnings);
  }
  return told.map(shown).join('\n');
}

/** The error, or where an outage was got over, the result. */
function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => error);
}

describe.skipIf(!redis)('[S-SEC-04] the password in the url of a store is shown to nobody', () => {
  const { port } = redis as RedisServer;

  it.each<[string, () => Promise<string>, string]>([
    ['it is wrong', async () => `redis://u:${secret}@127.0.0.1:${port}`, 'denied'],
    ['nothing listens', async () => `redis://u:${secret}@127.0.0.1:${await freePort()}`, 'ECONNREFUSED'],
    ['there is no such host', async () => `redis://u:${secret}@no.such.host.invalid`, 'unavailable'],
  ])('where %s', async (_what, url, told) => {
    const text = await allThatIsTold(await url());
    expect(text).toContain(told);
    expect(text).not.toContain(secret);
  });

  it.each([
    ['is of another scheme', `http://u:${secret}@127.0.0.1`],
    ['is none', `redis://u:${secret}@[`],
    ['has a port that is none', `redis://u:${secret}@127.0.0.1:port`],
  ])('where the url %s', (_what, url) => {
    try {
      createRedisCheckpointer({ url });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'configuration' });
      expect(shown(error)).not.toContain(secret);
    }
  });
});

import { describe, expect, test } from 'vitest';
import { createConnection } from './connection.ts';
import type { RedisDriver } from './drivers/driver.ts';

const ms = 100;
const script = { source: 'return 1', sha: 'sha' };
const sleep = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

/** What a client does with a call, by its thread: `hung` never ends, `garbled` ends by what is no reply of a server. */
async function answer(thread: string | undefined, name: string | undefined): Promise<unknown> {
  if (thread === 'hung') return new Promise(() => {});
  await sleep(thread === 'garbled' ? (ms * 3) / 4 : 0);
  if (thread === 'garbled') throw new Error('!!garbage!!');
  return [thread === 'mixed up' ? 'another call' : name, 'answer'];
}

/** A connection whose clients answer the call by its name, for most threads. */
function setting() {
  let made = 0;
  let destroyed = 0;
  const open = (): RedisDriver => {
    made += 1;
    return {
      cluster: false,
      ready: async () => {},
      ended: () => false,
      send: (key, [, , , , , name]) => answer(key, name),
      release() {},
      destroy() {
        destroyed += 1;
      },
    };
  };
  const connection = createConnection({ open, owned: true, connectTimeoutMs: ms, commandTimeoutMs: ms });
  const run = (thread: string) =>
    connection.run(script, thread, { thread, tombstone: 'x' }, []).catch((error: { code: string }) => error.code);
  return { run, made: () => made, destroyed: () => destroyed };
}

describe('a client of ours that misses a deadline', () => {
  test('is discarded where it answers nobody, once for all calls that were under way', async () => {
    const { run, made, destroyed } = setting();
    await run('warm');
    const late = [run('hung'), run('hung')];
    await sleep(ms / 2);
    late.push(run('hung'));
    expect(await Promise.all(late)).toEqual(['unavailable', 'unavailable', 'unavailable']);
    expect(destroyed()).toBe(1);
    expect(await run('next')).toBe('answer');
    expect(made()).toBe(2);
  });

  test('is discarded although it says of itself that it is ready, to ever more calls', async () => {
    const { run, destroyed } = setting();
    await run('warm');
    const late = [run('hung')];
    for (let index = 0; index < 10; index += 1) {
      await sleep(ms / 20);
      late.push(run('hung'));
    }
    await late[0];
    expect(destroyed()).toBe(1);
    await Promise.all(late);
  });

  test('is kept where it answers others meanwhile: it is only slow', async () => {
    const { run, made, destroyed } = setting();
    const late = run('hung');
    await sleep(ms / 2);
    expect(await run('other')).toBe('answer');
    expect(await late).toBe('unavailable');
    expect([made(), destroyed()]).toEqual([1, 0]);
  });

  test('is discarded where nothing ended but a call that was given garbage', async () => {
    const { run, made, destroyed } = setting();
    const garbled = run('garbled');
    await sleep(ms / 4);
    const late = run('hung');
    expect(await Promise.all([garbled, late])).toEqual(['unavailable', 'unavailable']);
    expect([made(), destroyed()]).toEqual([1, 1]);
  });
});

test('a client of ours that gives a call the reply to another one is discarded at once', async () => {
  const { run, made, destroyed } = setting();
  expect(await run('mixed up')).toBe('unavailable');
  expect([made(), destroyed()]).toEqual([1, 1]);
  expect(await run('next')).toBe('answer');
});

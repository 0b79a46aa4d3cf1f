import { inspect } from 'node:util';
import { Keyv } from 'keyv';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { mapAdapter } from '../test/map-adapter.ts';
import { createKvCheckpointer } from './checkpointer.ts';

const user = (content: string) => ({ role: 'user' as const, content });
const base = { found: false, tombstone: null } as const;
const write = (text: string) => ({ state: { history: [user(text)] }, base });

function open(map: Map<string, unknown> = new Map(), options: object = {}) {
  const keyv = new Keyv(map, { throwOnErrors: true, ...options });
  return { keyv, map, store: createKvCheckpointer({ keyv, timeoutMs: 300 }) };
}

/** A store whose `get`, `set` or `delete` is replaced. */
function broken(parts: object) {
  const map = new Map<string, unknown>();
  const keyv = new Keyv({ store: mapAdapter(map, parts), throwOnErrors: true });
  keyv.on('error', () => {});
  return { map, store: createKvCheckpointer({ keyv, timeoutMs: 100 }) };
}

describe('a Keyv', () => {
  test.each([
    ['one that hides its errors', new Keyv()],
    [
      'a store adapter that hides its errors',
      new Keyv({ store: Object.assign(new Map(), { throwOnErrors: false }), throwOnErrors: true }),
    ],
    ['none', undefined],
    ['something else', new Map()],
  ])('%s is a configuration error', (_, keyv) => {
    expect(() => createKvCheckpointer({ keyv: keyv as Keyv })).toThrow(
      expect.objectContaining({ code: 'configuration', path: 'keyv' }),
    );
  });

  test('[S-CFG-06] an option beside it that is misspelt is refused, with those that there are', () => {
    const misspelt = { keyv: new Keyv({ throwOnErrors: true }), tlt: 60 };
    expect(() => createKvCheckpointer(misspelt)).toThrow(/tlt.*namespace/);
  });

  test('in memory is not durable, any other is', () => {
    expect(open().store.capabilities).toMatchObject({ durable: false, conditional: false });
    expect(broken({}).store.capabilities).toMatchObject({ durable: true, conditional: false });
  });

  test('is not disconnected or emptied by close', async () => {
    const { keyv, store } = open();
    const disconnected = vi.fn();
    keyv.on('disconnect', disconnected);
    await store.save('t', write('a'));
    await store.close();
    expect(disconnected).not.toHaveBeenCalled();
    expect(await keyv.get('agent_checkpoints:t')).toContain('"a"');
  });

  test("the Keyv's own default time to live is not a thread's", async () => {
    const { store } = open(new Map(), { ttl: 1 });
    await store.save('t', write('a'));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await store.load('t')).toMatchObject({ found: true });
  });

  test('a limit for the whole thread is kept before anything is written', async () => {
    const map = new Map();
    const keyv = new Keyv(map, { throwOnErrors: true });
    const store = createKvCheckpointer({ keyv, maxStateBytes: 1_000 });
    await expect(store.save('t', write('x'.repeat(1_000)))).rejects.toMatchObject({ code: 'too_large' });
    expect(map.size).toBe(0);
  });
});

describe('what lies under a key and is not ours', () => {
  const json = (value: unknown) => JSON.stringify({ value });
  test.each([
    ['text', json('text')],
    ['JSON of another kind', json('[1,2]')],
    ['a record without control', json('{"history":[]}')],
    [
      'a record whose history is none',
      json('{"control":{"layout":1},"schema":1,"variables":{"schema":1},"history":3,"ahead":[]}'),
    ],
    ['an object', json({ their: 'value' })],
    ['a truncated value', '{"value":"{'],
  ])('%s is corrupt to every call, and stays', async (_, stored) => {
    const { map, store } = open(new Map([['keyv:agent_checkpoints:t', stored]]));
    await expect(store.load('t')).rejects.toMatchObject({ code: 'corrupt' });
    await expect(store.save('t', write('a'))).rejects.toMatchObject({ code: 'corrupt' });
    await expect(store.save('t', { state: { history: [] } })).rejects.toMatchObject({ code: 'corrupt' });
    await expect(store.delete('t')).rejects.toMatchObject({ code: 'corrupt' });
    expect([...map]).toEqual([['keyv:agent_checkpoints:t', stored]]);
  });

  test.each(['history', 'variables', 'ahead', 'schema'])(
    '[S-MIG-02] a thread whose %s is none says so',
    async (part) => {
      const { map, store } = open();
      await store.save('t', write('a'));
      const [[key, stored]] = [...map] as [[string, string]];
      const { value, ...entry } = JSON.parse(stored) as { value: string };
      const damaged = JSON.stringify({ ...JSON.parse(value), [part]: 'none' });
      map.set(key, JSON.stringify({ ...entry, value: damaged }));
      await expect(store.load('t')).rejects.toMatchObject({ code: 'corrupt', threadId: 't', path: part });
      await expect(store.save('t', write('b'))).rejects.toMatchObject({ code: 'corrupt' });
      expect(map.get(key)).toContain(JSON.stringify(damaged));
    },
  );

  test('a thread in a newer layout is refused, whatever else is in it', async () => {
    const stored = json('{"control":{"layout":2},"shape":"unknown"}');
    const { map, store } = open(new Map([['keyv:agent_checkpoints:t', stored]]));
    await expect(store.load('t')).rejects.toMatchObject({ code: 'schema_too_new' });
    await expect(store.save('t', write('a'))).rejects.toMatchObject({ code: 'schema_too_new' });
    expect([...map]).toEqual([['keyv:agent_checkpoints:t', stored]]);
  });
});

describe('a store that fails', () => {
  const secret = Object.assign(new Error('S3CRET in postgres://u:S3CRET@h'), {
    code: 'ECONNREFUSED',
    params: ['S3CRET'],
  });
  const fail = () => Promise.reject(secret);

  test('a failed read is unavailable, and not applied', async () => {
    const { store } = broken({ get: fail });
    for (const call of [store.load('t'), store.save('t', write('a')), store.delete('t')]) {
      await expect(call).rejects.toMatchObject({ code: 'unavailable', applied: 'no', cause: { code: 'ECONNREFUSED' } });
    }
  });

  test('a failed write may have been applied', async () => {
    const { store } = broken({ set: fail });
    await expect(store.save('t', write('a'))).rejects.toMatchObject({ code: 'unavailable', applied: 'maybe' });
  });

  test('a write that is reported as refused, or is not there afterwards, is no success', async () => {
    await expect(broken({ set: async () => false }).store.save('t', write('a'))).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(broken({ set: async () => true }).store.save('t', write('a'))).rejects.toMatchObject({
      code: 'unavailable',
      applied: 'maybe',
    });
  });

  test('one that hangs is given up in time', async () => {
    const { store } = broken({ get: () => new Promise(() => {}) });
    await expect(store.load('t')).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
  });

  test('a first call that hangs for ever does not hold up those after it', async () => {
    const get = vi.fn(async () => undefined as unknown);
    get.mockReturnValueOnce(new Promise(() => {}));
    const { store } = broken({ get });
    const calls = await Promise.allSettled([store.load('t'), store.load('u')]);
    expect(calls.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });

  test('no error shows what the store said', async () => {
    const error: unknown = await broken({ get: fail })
      .store.load('t')
      .catch((reason: unknown) => reason);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('S3CRET');
  });
});

test('a save that somebody else overwrites before it is read back is a conflict', async () => {
  const map = new Map<string, unknown>();
  const theirs = open(map).store;
  let sets = 0;
  const store = mapAdapter(map, {
    set: async (key: string, value: unknown) => {
      map.set(key, value);
      if (sets++ === 0) await theirs.save('t', { state: { history: [user('theirs')] } });
    },
  });
  const mine = createKvCheckpointer({ keyv: new Keyv({ store, throwOnErrors: true }) });
  onTestFinished(() => mine.close());
  await expect(mine.save('t', write('mine'))).rejects.toMatchObject({ code: 'conflict', current: { revision: 2 } });
  expect(await mine.load('t')).toMatchObject({ state: { history: [{ content: 'theirs' }] } });
});

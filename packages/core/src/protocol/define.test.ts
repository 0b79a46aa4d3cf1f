import { describe, expect, it } from 'vitest';
import { user } from '../testing/samples.ts';
import { createTextStore } from '../testing/text-store.ts';
import { createVirtualRuntime } from '../testing/virtual-runtime.ts';
import type { Capabilities } from './capabilities.ts';
import type { Checkpointer } from './checkpointer.ts';
import { defineCheckpointer } from './define.ts';
import { sleep } from './runtime.ts';
import type { CheckpointStore, StoreWrite } from './store.ts';

const state = { history: [user('a')] };

function setting(capabilities: Partial<Capabilities> = {}) {
  const store = createTextStore(capabilities);
  const calls: string[] = [];
  const counted = Object.fromEntries(
    Object.entries(store).map(([name, member]) => [
      name,
      typeof member === 'function'
        ? (...args: never[]) => {
            calls.push(name);
            return (member as (...given: never[]) => unknown)(...args);
          }
        : member,
    ]),
  ) as unknown as CheckpointStore;
  return { store, calls, threads: defineCheckpointer(counted, createVirtualRuntime()) };
}

const everyCall: Record<string, (threads: Checkpointer, threadId: string) => Promise<unknown>> = {
  load: (threads, threadId) => threads.load(threadId),
  peek: (threads, threadId) => threads.peek(threadId),
  save: (threads, threadId) => threads.save(threadId, { state }),
  delete: (threads, threadId) => threads.delete(threadId),
  steps: (threads, threadId) => threads.steps(threadId),
};

describe('before any I/O', () => {
  it.each(Object.keys(everyCall))('[F1] [F2] [S-SEC-02] %s refuses what is no thread id', async (call) => {
    const { threads, calls } = setting();
    for (const threadId of ['', 'a\u0000', { $ne: null } as never]) {
      await expect(everyCall[call]?.(threads, threadId)).rejects.toMatchObject({ code: 'invalid_thread_id' });
    }
    expect(calls).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['a state that is not one', { state: null }, 'invalid_state'],
    ['a value that JSON cannot carry', { state: { history: [], variables: { n: 10n } } }, 'not_serializable'],
    ['a step record that JSON cannot carry', { state, steps: [{ a: 1n }] }, 'not_serializable'],
  ])('[S-SER-01] a save refuses %s, with or without a base', async (_, write, code) => {
    const { threads, calls } = setting();
    for (const base of [undefined, { found: false as const, tombstone: null }]) {
      await expect(
        threads.save('t', { ...(write as never as { state: typeof state }), ...(base ? { base } : {}) }),
      ).rejects.toMatchObject({ code });
    }
    expect(calls).toEqual([]);
  });

  it('[S-SEC-02] a query or a page of steps that is wrong is refused', async () => {
    const { threads, calls } = setting({ list: true, query: true });
    await expect(threads.query({ limit: 0 })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(threads.steps('t', { from: -1 })).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(calls).toEqual([]);
  });
});

describe('what is not offered', () => {
  it.each(['steps', 'list', 'query'] as const)('%s says unsupported and asks nothing', async (capability) => {
    const { threads, calls } = setting({ [capability]: false });
    const call = { steps: () => threads.steps('t'), list: () => threads.list(), query: () => threads.query({}) }[
      capability
    ];
    await expect(call()).rejects.toMatchObject({
      code: 'unsupported',
      message: `The text checkpointer does not offer ${capability}.`,
    });
    expect(calls).toEqual([]);
  });

  it('is said in a record that nobody can change', () => {
    const { threads } = setting();
    expect(Object.isFrozen(threads.capabilities)).toBe(true);
    expect(Object.isFrozen(threads)).toBe(true);
  });
});

describe('a checkpointer that is closed', () => {
  it.each(Object.keys(everyCall))('refuses %s', async (call) => {
    const { threads, calls } = setting();
    await threads.close();
    await expect(everyCall[call]?.(threads, 't')).rejects.toMatchObject({ code: 'closed' });
    expect(calls).toEqual(['close']);
  });

  it('is closed once, however often it is told', async () => {
    const { threads, calls } = setting();
    await Promise.all([threads.close(), threads.close()]);
    expect(calls).toEqual(['close']);
  });
});

describe('an unconditional save', () => {
  it('replaces whatever is there, in the life that is there', async () => {
    const { threads } = setting();
    const first = await threads.save('t', { state });
    const second = await threads.save('t', { state: { history: [user('b')] } });
    expect(second).toMatchObject({ revision: 2, generation: 1, life: first.life });
    expect(await threads.load('t')).toMatchObject({ state: { history: [user('b')] } });
  });

  it('is not an append, whatever it says', async () => {
    const { threads } = setting();
    await threads.save('t', { state });
    await threads.save('t', { state: { history: [user('b'), user('c')] }, appendedFrom: 1 });
    expect(await threads.load('t')).toMatchObject({ state: { history: [user('b'), user('c')] } });
  });

  it.each<[string, (thread: { control: string; head: string }) => void, string]>([
    [
      'cannot read',
      (thread) => {
        thread.head = '1{"';
      },
      'corrupt',
    ],
    [
      'finds written by a newer release',
      (thread) => {
        thread.control = '{"layout":2}';
      },
      'schema_too_new',
    ],
  ])('never writes over what it %s', async (_, damage, code) => {
    const { threads, store } = setting();
    await threads.save('t', { state });
    const thread = store.threads.get('t') as { control: string; head: string };
    damage(thread);
    const before = { ...thread };
    await expect(threads.save('t', { state })).rejects.toMatchObject({ code, threadId: 't' });
    expect(store.threads.get('t')).toEqual(before);
  });

  it('is done again where others write at the same time, also where they delete', async () => {
    const store = createTextStore();
    const others = defineCheckpointer(store);
    const meanwhile = [() => others.save('t', { state }), () => others.delete('t'), () => others.save('t', { state })];
    const threads = defineCheckpointer({
      ...store,
      async save(threadId, write) {
        await meanwhile.shift()?.();
        return store.save(threadId, write);
      },
    });
    await threads.save('t', { state: { history: [user('mine')] } });
    expect(await threads.load('t')).toMatchObject({ state: { history: [user('mine')] } });
  });

  it('says so where it never gets its turn', async () => {
    const store = createTextStore();
    const others = defineCheckpointer(store);
    const threads = defineCheckpointer({
      ...store,
      async save(threadId, write) {
        await others.save('t', { state });
        return store.save(threadId, write);
      },
    });
    await expect(threads.save('t', { state })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('[S-CON-04] stores the state of the moment of the call, though it reads first', async () => {
    const { threads } = setting();
    const changing = { history: [user('a')], current_step: 1, variables: { list: [1] } };
    const saving = threads.save('t', { state: changing });
    changing.history.push(user('later'));
    changing.variables.list.push(2);
    changing.current_step = 2;
    await saving;
    expect(await threads.load('t')).toMatchObject({
      state: { current_step: 1, variables: { list: [1] }, history: [user('a')] },
    });
  });

  it('[S-ORD-02] comes after those that were called before it, however long each takes', async () => {
    const store = createTextStore();
    const runtime = createVirtualRuntime();
    let calls = 0;
    const slow = () => sleep(runtime, (++calls * 37) % 100);
    const threads = defineCheckpointer(
      {
        ...store,
        peek: async (threadId) => {
          await slow();
          return store.peek(threadId);
        },
        save: async (threadId, write) => {
          await slow();
          return store.save(threadId, write);
        },
      },
      runtime,
    );
    const saves = Array.from({ length: 20 }, (_, version) =>
      threads.save('t', { state: { history: [], current_step: version } }),
    );
    await runtime.until(Promise.all(saves));
    expect(store.written.map(({ state: { current_step } }) => current_step)).toEqual(
      saves.map((_, version) => version),
    );
  });

  it('that failed does not hold up the next one', async () => {
    const store = createTextStore();
    const failures = [new Error('no')];
    const threads = defineCheckpointer({
      ...store,
      load: (threadId) => {
        const failure = failures.shift();
        return failure ? Promise.reject(failure) : store.load(threadId);
      },
    });
    const [first, second] = await Promise.allSettled([threads.save('t', { state }), threads.save('t', { state })]);
    expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled']);
  });
});

describe('a conditional save', () => {
  it('[S-CON-04] stores the state of the moment of the call, though the store takes its time', async () => {
    const store = createTextStore();
    const runtime = createVirtualRuntime();
    const threads = defineCheckpointer(
      { ...store, save: (threadId, write: StoreWrite) => sleep(runtime, 50).then(() => store.save(threadId, write)) },
      runtime,
    );
    const changing = { history: [user('a')], current_step: 1 };
    const saving = threads.save('t', { state: changing, base: { found: false, tombstone: null } });
    changing.history.push(user('later'));
    changing.current_step = 2;
    await runtime.until(saving);
    expect(await threads.load('t')).toMatchObject({ state: { current_step: 1, history: [user('a')] } });
  });

  it('gives the position on which the next one builds, and a load gives the same', async () => {
    const { threads } = setting();
    const first = await threads.save('t', { state, base: { found: false, tombstone: null }, writeId: 'w1' });
    expect(first.etag).toBe('w1');
    const loaded = await threads.load('t');
    const peeked = await threads.peek('t');
    expect(loaded).toMatchObject(first);
    expect(peeked).toMatchObject(first);
    const second = await threads.save('t', {
      state: { history: [user('a'), user('b')] },
      base: first,
      appendedFrom: 1,
    });
    expect(await threads.load('t')).toMatchObject({ ...second, state: { history: [user('a'), user('b')] } });
  });

  it('of another length is corrupt and changes nothing', async () => {
    const { threads, store } = setting();
    const base = await threads.save('t', { state });
    const write = {
      state: { history: [user('a'), user('b'), user('c')] },
      base: { ...base, length: 2 },
      appendedFrom: 2,
    };
    await expect(threads.save('t', write)).rejects.toMatchObject({ code: 'corrupt' });
    expect(store.written).toHaveLength(1);
  });

  it('[D2] with a newer record in its way is told that, and not that it lost', async () => {
    const { threads, store } = setting();
    const base = await threads.save('t', { state });
    (store.threads.get('t') as { control: string }).control = '{"layout":2,"etag":"other"}';
    await expect(threads.save('t', { state, base })).rejects.toMatchObject({ code: 'schema_too_new' });
  });
});

describe('a delete', () => {
  it('forgets a thread whose state cannot be read, and leaves a tombstone', async () => {
    const { threads, store } = setting();
    await threads.save('t', { state });
    (store.threads.get('t') as { head: string }).head = '99{"schema_version":99}';
    await expect(threads.load('t')).rejects.toMatchObject({ code: 'schema_too_new' });
    await threads.delete('t');
    expect(await threads.load('t')).toMatchObject({ found: false, tombstone: expect.any(String) });
  });

  it('leaves alone what is not of this library', async () => {
    const { threads, store } = setting();
    await threads.save('t', { state });
    (store.threads.get('t') as { control: string }).control = '{"layout":"theirs"}';
    await expect(threads.delete('t')).rejects.toMatchObject({ code: 'corrupt' });
    expect(store.threads.has('t')).toBe(true);
  });
});

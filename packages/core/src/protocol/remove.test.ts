import { describe, expect, it } from 'vitest';
import { createTextStore, type TextStore } from '../testing/text-store.ts';
import { createVirtualRuntime } from '../testing/virtual-runtime.ts';
import type { Absence, Checkpoint, Checkpointer } from './checkpointer.ts';
import { defineCheckpointer } from './define.ts';
import { tombstoneKeepMs } from './remove.ts';
import type { Burial, CheckpointStore } from './store.ts';

const state = { history: [] };
const day = 24 * 3_600_000;

/** A store in which something happens just before each burial. */
function setting(before: ((burial: Burial, threads: Checkpointer, text: TextStore) => Promise<unknown>)[] = []) {
  const text = createTextStore();
  const runtime = createVirtualRuntime();
  const others = defineCheckpointer(text, runtime);
  const burials: Burial[] = [];
  const store: CheckpointStore = {
    ...text,
    async bury(threadId, burial) {
      burials.push(burial);
      await before.shift()?.(burial, others, text);
      return text.bury(threadId, burial);
    },
  };
  return { text, others, burials, mine: defineCheckpointer(store, runtime) };
}

/** The record is lost, and its owner writes it again: another life, without a delete. */
async function writtenAgain(_: Burial, threads: Checkpointer, store: TextStore): Promise<void> {
  const { life } = (await threads.load('t')) as Checkpoint;
  store.threads.delete('t');
  await threads.save('t', { state, base: { found: false, tombstone: life.after } });
}

const tombstoneOf = async (threads: Checkpointer) => ((await threads.load('t')) as Absence).tombstone;
const etagsOf = ({ tombstones }: TextStore) => [...tombstones.values()];

describe('a delete', () => {
  it('removes the life that is there, and leaves a tombstone', async () => {
    const { mine, burials, text } = setting();
    const { life } = await mine.save('t', { state });
    await mine.delete('t');
    expect(burials).toEqual([{ born: life.born, tombstone: etagsOf(text)[0], keepMs: tombstoneKeepMs }]);
    expect(await mine.load('t')).toMatchObject({ found: false, tombstone: expect.any(String) });
  });

  it('leaves a new tombstone over nothing, and over a tombstone', async () => {
    const { mine, burials } = setting();
    await mine.delete('t');
    const first = await tombstoneOf(mine);
    await mine.delete('t');
    expect(await tombstoneOf(mine)).not.toBe(first);
    expect(burials).toMatchObject([
      { born: null, was: null },
      { born: null, was: first },
    ]);
  });

  it('goes round again where the thread was written meanwhile, and removes that too', async () => {
    const { mine, others } = setting([(_, threads) => threads.save('t', { state })]);
    await mine.delete('t');
    expect((await others.load('t')).found).toBe(false);
  });

  it('leaves the life alone that began after somebody else`s delete of what it found', async () => {
    const anew = async (_: Burial, threads: Checkpointer) => {
      await threads.delete('t');
      await threads.save('t', { state });
    };
    const { mine, others, burials } = setting([anew]);
    await mine.save('t', { state });
    await mine.delete('t');
    expect((await others.load('t')).found).toBe(true);
    expect(burials).toHaveLength(1);
  });

  it('goes round again where the record was gone and written again without a delete', async () => {
    const { mine, others, burials } = setting([writtenAgain]);
    await mine.save('t', { state });
    await mine.delete('t');
    expect((await others.load('t')).found).toBe(false);
    expect(burials).toHaveLength(2);
  });

  it('that landed, though it was said to have failed, leaves the next life alone', async () => {
    const text = createTextStore();
    const others = defineCheckpointer(text);
    await others.save('t', { state });
    // Its first burial lands, a new life begins over that tombstone, and only then is it told that nothing was done.
    const store: CheckpointStore = {
      ...text,
      async bury(threadId, burial) {
        await text.bury(threadId, burial);
        await others.save('t', { state: { history: [], agent_profile: 'next' } });
        return false;
      },
    };
    await defineCheckpointer(store).delete('t');
    expect(await others.load('t')).toMatchObject({ found: true, state: { agent_profile: 'next' } });
  });

  it('says so when the thread moves every time', async () => {
    const { mine } = setting(Array.from({ length: 60 }, () => writtenAgain));
    await mine.save('t', { state });
    await expect(mine.delete('t')).rejects.toMatchObject({ code: 'conflict', threadId: 't' });
  });

  it('keeps the tombstone as long as a save of the thread could still be on its way', async () => {
    const { mine, burials } = setting();
    await mine.save('t', { state, ttl: { ttlMs: day, pausedTtlMs: 30 * day } });
    await mine.delete('t');
    expect(burials[0]?.keepMs).toBe(30 * day);
  });

  it('two at once both end, and nothing is left', async () => {
    const { mine, others } = setting();
    await others.save('t', { state });
    await Promise.all([mine.delete('t'), others.delete('t')]);
    expect((await mine.load('t')).found).toBe(false);
  });
});

describe('nothing that was begun before a delete comes back', () => {
  it('neither a save on what was loaded before it', async () => {
    const { mine, others } = setting();
    const base = await mine.save('t', { state });
    await others.delete('t');
    await expect(mine.save('t', { state, base })).rejects.toMatchObject({ code: 'deleted' });
    await others.save('t', { state });
    await expect(mine.save('t', { state, base })).rejects.toMatchObject({ code: 'deleted' });
  });

  it('nor a create of a thread that was absent before it', async () => {
    const { mine, others } = setting();
    const base = await mine.load('t');
    await others.delete('t');
    await expect(mine.save('t', { state, base: base as Absence })).rejects.toMatchObject({ code: 'deleted' });
  });

  it('and what begins after it starts afresh', async () => {
    const { mine, others } = setting();
    await mine.save('t', { state });
    await others.delete('t');
    const base = await mine.load('t');
    expect(await mine.save('t', { state, base: base as Absence })).toMatchObject({
      revision: 1,
      life: { after: (base as Absence).tombstone },
    });
  });
});

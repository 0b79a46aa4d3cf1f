import { EventEmitter, once } from 'node:events';
import type { Checkpointer } from '@agent-state/core';
import { Keyv } from 'keyv';
import { describe, expect, test } from 'vitest';
import { mapAdapter } from '../test/map-adapter.ts';
import { createKvCheckpointer } from './checkpointer.ts';

const record = 'keyv:agent_checkpoints:t';
const tombstone = `${record}:deleted`;
const write = (text: string) => ({ state: { history: [{ role: 'user' as const, content: text }] } });

/** A checkpointer that shares its Map with another one, and whose next write of the thread waits until it is let go. */
async function slowWriter(afterwards: () => void = () => {}) {
  const map = new Map<string, unknown>();
  const other = createKvCheckpointer({ keyv: new Keyv(map, { throwOnErrors: true }) });
  const base = await other.save('t', write('before'));
  const signals = new EventEmitter();
  const held = once(signals, 'held');
  const adapter = mapAdapter(map, {
    async set(key: string, value: unknown) {
      signals.emit('held');
      await once(signals, 'release');
      map.set(key, value);
      afterwards();
    },
  });
  const slow = createKvCheckpointer({ keyv: new Keyv(adapter, { throwOnErrors: true }) });
  const saving = slow.save('t', { ...write('late'), base });
  await held;
  return { map, other, saving, release: () => signals.emit('release') };
}

const content = async (store: Checkpointer) => {
  const found = await store.load('t');
  return found.found ? found.state.history[0]?.content : undefined;
};

describe('[S-DEL-02] a save that lands after a delete', () => {
  test('is refused as deleted, and leaves no byte of the thread', async () => {
    const { map, other, saving, release } = await slowWriter();
    await other.delete('t');
    release();
    await expect(saving).rejects.toMatchObject({ code: 'deleted' });
    expect(await content(other)).toBeUndefined();
    expect([...map.keys()]).toEqual([tombstone]);
  });

  test('brings nothing back where its process dies with it; the next delete removes what it left', async () => {
    const { map, other, saving, release } = await slowWriter(() => {
      throw new Error('The process is gone.');
    });
    await other.delete('t');
    release();
    await expect(saving).rejects.toMatchObject({ code: 'unavailable', applied: 'maybe' });
    expect(map.has(record)).toBe(true);
    expect(await other.load('t')).toEqual({ found: false, tombstone: expect.any(String) });
    await other.delete('t');
    expect([...map.keys()]).toEqual([tombstone]);
  });

  test('does not stand in the way of the next life', async () => {
    const { other, saving, release } = await slowWriter(() => {
      throw new Error('The process is gone.');
    });
    await other.delete('t');
    release();
    await expect(saving).rejects.toMatchObject({ code: 'unavailable' });
    await other.save('t', { ...write('next life'), base: await other.load('t') });
    expect(await content(other)).toBe('next life');
  });
});

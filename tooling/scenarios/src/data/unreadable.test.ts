import { randomUUID } from 'node:crypto';
import {
  type Checkpoint,
  type Checkpointer,
  type ErrorCode,
  isAgentStateError,
  type ThreadStateInput,
} from '@agent-state/core';
import { afterAll, describe, expect, it } from 'vitest';
import { calls, says, startProcess, tool } from '../agent.ts';
import { opened } from '../stores.ts';
import type { Parts, RawStore } from './raw-store.ts';
import { rawStores } from './raw-stores.ts';

const echo = tool('echo', (args) => args);
const turns = [calls('echo', { n: 1 }, 'echo', { n: 2 }), says('Done.')];

/** A thread as an agent stored it, and what the store holds of it. */
async function stored(store: RawStore): Promise<{ readonly threadId: string; readonly parts: Parts }> {
  const threadId = randomUUID();
  const checkpointer = store.open();
  await startProcess(checkpointer, turns, [echo]).agent(threadId).run('Go');
  await checkpointer.close();
  return { threadId, parts: await store.read(threadId) };
}

/** Everything that could write over a thread that it cannot read; a plain save looks at the head and no further. */
async function codesOf(store: RawStore, threadId: string, touched: readonly string[]): Promise<Set<string>> {
  const checkpointer = opened(store.open);
  const process = startProcess(checkpointer, [...turns, says('More.')], [echo]);
  const state: ThreadStateInput = { history: [] };
  const attempts = [
    () => process.agent(threadId).run('More'),
    () => process.agent(threadId).resume(),
    () => checkpointer.load(threadId),
    ...(touched.some((part) => ofHead.test(part)) ? [() => checkpointer.save(threadId, { state })] : []),
  ];
  const codes = new Set<string>();
  for (const attempt of attempts) codes.add(await codeOf(attempt));
  expect(process.events.map(({ type }) => type)).not.toContain('volatile');
  return codes;
}

async function codeOf(attempt: () => Promise<unknown>): Promise<ErrorCode | 'done'> {
  try {
    await attempt();
    return 'done';
  } catch (error) {
    if (isAgentStateError(error)) return error.code;
    throw error;
  }
}

/** The texts of the state, by what they are named in each store; the rest is the store's own. */
const ofState = /^(record|head|variables|control|m:.*|heads\.(head|variables)|messages\.\d+\.text)$/;

const ofHead = /^(record|document|head|control|heads\.head)$/;

/** As many places of a text as are tried, the first and the last of them. */
const places = (text: string) => [0, 1, text.length >> 1, text.length - 1];

describe.each(Object.entries(rawStores))('on %s', async (name, start) => {
  const started = await start();
  const store = started as RawStore;
  afterAll(() => started?.stop());

  // What MongoDB holds is no text of ours.
  if (name !== 'mongo') {
    it.skipIf(!started)(
      '[D1] a text cut off at any place is corrupt, to whoever asks, and is not written over',
      async () => {
        const { threadId, parts } = await stored(store);
        const names = Object.keys(parts).filter((part) => ofState.test(part));
        expect(names.length).toBeGreaterThanOrEqual(name === 'kv' ? 1 : 7);
        for (const part of names) {
          const text = parts[part] as string;
          for (const length of places(text)) {
            const cut = { ...parts, [part]: text.slice(0, length) };
            await store.write(threadId, cut);
            const codes = await codesOf(store, threadId, [part]);
            expect([part, length, ...codes]).toEqual([part, length, 'corrupt']);
            expect(await store.read(threadId)).toEqual(cut);
          }
        }
      },
    );

    it.skipIf(!started)(
      '[D1] a text with a flipped bit is refused and not written over, or is a thread of the same length',
      async () => {
        const { threadId, parts } = await stored(store);
        const checkpointer = opened(store.open);
        const sound = await checkpoint(checkpointer, threadId);
        const outcomes = new Set<string>();
        for (const part of Object.keys(parts).filter((part) => ofState.test(part))) {
          const bytes = Buffer.from(parts[part] as string);
          for (let n = 0; n < 12; n += 1) {
            const flipped = Buffer.from(bytes);
            const at = Math.floor((n / 12) * bytes.length);
            flipped[at] = (flipped[at] as number) ^ (1 << (n % 7));
            const damaged = { ...parts, [part]: flipped.toString() };
            await store.write(threadId, damaged);
            const outcome = await checkpoint(checkpointer, threadId);
            if (typeof outcome === 'string') expect(outcome).toMatch(/^(corrupt|schema_too_new)$/);
            else expect(outcome.state.history).toHaveLength((sound as Checkpoint).state.history.length);
            outcomes.add(typeof outcome === 'string' ? outcome : 'read');
            expect(await store.read(threadId)).toEqual(damaged);
          }
        }
        expect(outcomes).toContain('corrupt');
      },
    );
  }

  it.skipIf(!started)(
    '[D1] a record without one of its messages is corrupt, to whoever asks, and is not written over',
    async () => {
      const { threadId, parts } = await stored(store);
      const gap = withoutAMessage(parts);
      expect(gap).not.toEqual(parts);
      await store.write(threadId, gap);
      expect([...(await codesOf(store, threadId, []))]).toEqual(['corrupt']);
      expect(await store.read(threadId)).toEqual(gap);
    },
  );

  it.skipIf(!started)('[D1] [D2] what cannot be read can still be forgotten, and leaves nothing', async () => {
    const { threadId, parts } = await stored(store);
    await store.write(threadId, renumbered(parts, 99));
    const checkpointer = opened(store.open);
    await checkpointer.delete(threadId);
    expect(await checkpointer.load(threadId)).toMatchObject({ found: false, tombstone: expect.any(String) });
  });

  it.skipIf(!started)(
    '[D2] a newer schema of any part is schema_too_new, to whoever asks, and nothing is written',
    async () => {
      const { threadId, parts } = await stored(store);
      const all = renumbered(parts, 99);
      expect(all).not.toEqual(parts);
      const newer = [all, ...Object.keys(parts).map((part) => ({ ...parts, [part]: all[part] as string }))];
      for (const changed of newer) {
        if (Object.entries(changed).every(([part, text]) => parts[part] === text)) continue;
        const touched = Object.keys(parts).filter((part) => parts[part] !== changed[part]);
        // The load does not read step records; they are refused where they are asked for.
        if (touched.every((part) => /^(s:|steps\.)/.test(part))) continue;
        await store.write(threadId, changed);
        const before = await store.read(threadId);
        const codes = await codesOf(store, threadId, touched);
        expect([touched, ...codes]).toEqual([touched, 'schema_too_new']);
        expect(await store.read(threadId)).toEqual(before);
      }
    },
  );
});

/** Its second one is gone: a field, a row, or an element of an array. */
function withoutAMessage(parts: Parts): Parts {
  const others = Object.entries(parts).filter(([part]) => !/^(m:0:1$|messages\.1\.)/.test(part));
  return Object.fromEntries(
    others.map(([part, text]) => [part, /^(record|document)$/.test(part) ? shortened(text) : text]),
  );
}

function shortened(text: string): string {
  const { history, ...rest } = JSON.parse(text) as { history: unknown[] };
  return JSON.stringify({ ...rest, history: history.toSpliced(1, 1) });
}

/** Every part with another schema in front, or in its native value. */
function renumbered(parts: Parts, schema: number): Parts {
  const change = (text: string) =>
    text
      .replace(/^1(?=\{)/, `${schema}`)
      .replaceAll('"schema":1', `"schema":${schema}`)
      .replace('"schema":{"head":1', `"schema":{"head":${schema}`);
  return Object.fromEntries(Object.entries(parts).map(([part, text]) => [part, change(text)]));
}

async function checkpoint(checkpointer: Checkpointer, threadId: string): Promise<Checkpoint | string> {
  try {
    const found = await checkpointer.load(threadId);
    return found.found ? found : 'absent';
  } catch (error) {
    if (isAgentStateError(error)) return error.code;
    throw error;
  }
}

import { readdirSync, readFileSync } from 'node:fs';
import { createThreads } from '@agent-state/core';
import { afterAll, describe, expect, it } from 'vitest';
import { says, startProcess, tool } from '../agent.ts';
import { opened } from '../stores.ts';
import type { Parts, RawStore } from './raw-store.ts';
import { rawStores } from './raw-stores.ts';

/**
 * One file a released schema: what each store held of a thread, and what is read of it. They are written once, by the
 * release itself, and never again: what is stored out there does not change either.
 */
interface Golden {
  readonly threadId: string;
  readonly position: object;
  readonly state: object;
  readonly steps: readonly object[];
  readonly stores: Readonly<Record<string, Parts>>;
}

const folder = new URL('golden/', import.meta.url);
const readGolden = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Golden;
const goldens = readdirSync(folder).map((file) => ({ file, golden: readGolden(file) }));

it('[D3] there is a file of every released schema', () => {
  expect(goldens.map(({ file }) => file)).toEqual(['schema-1.json']);
});

describe.each(Object.entries(rawStores))('on %s', async (name, start) => {
  const started = await start();
  const store = started as RawStore;
  afterAll(() => started?.stop());

  const open = () => opened(store.open);

  describe.skipIf(!started).each(goldens)('a thread of $file', ({ golden }) => {
    const { threadId, position, state, steps } = golden;
    const parts = golden.stores[name] as Parts;

    it('[D3] is read as it was written, and reading it writes nothing', async () => {
      await store.write(threadId, parts);
      const checkpointer = open();
      // A store without step records counts none.
      const counted = checkpointer.capabilities.steps ? position : { ...position, steps: expect.any(Number) };
      expect(await checkpointer.load(threadId)).toEqual(expect.objectContaining({ ...counted, state }));
      if (checkpointer.capabilities.steps) expect(await createThreads(checkpointer).steps(threadId)).toEqual(steps);
      await checkpointer.peek(threadId);
      expect(await store.read(threadId)).toEqual(parts);
    });

    it('[D3] is gone on with by an agent of this release: nothing is run twice, all of it stays', async () => {
      await store.write(threadId, parts);
      const ran: unknown[] = [];
      const work = tool('work', (args) => ran.push(args));
      const process = startProcess(open(), [says('unused'), says('unused'), says('Done.'), says('More.')], [work]);
      expect(await process.agent(threadId).run('And now?', { onBusy: 'takeOver' })).toMatchObject({ durable: true });
      expect(ran).toEqual([{ n: 2 }]);
      const now = await createThreads(open()).get(threadId);
      const before = (state as { history: object[] }).history;
      expect(now?.history.slice(0, before.length)).toEqual(before);
      expect(now?.history.slice(before.length).map(({ role }) => role)).toEqual(['tool', 'tool', 'user', 'assistant']);
      expect(now).toMatchObject({ variables: { seen: [1, null, { '': '\u0000😀' }] }, unknown_field: { kept: true } });
    });
  });
});

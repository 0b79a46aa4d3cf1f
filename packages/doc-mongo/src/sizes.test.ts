import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { user } from '@agent-state/conformance/fixtures';
import type { Message, Position } from '@agent-state/core';
import { describe, expect, test } from 'vitest';
import { absent, append, idle, mongoUrl, ownDatabase, state } from '../test/support.ts';
import { threadOfTest } from '../test/thread.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

/** Of so many bytes of JSON in all. */
const sized = (bytes: number): Message => {
  const empty = JSON.stringify(user('')).length;
  return user(
    randomBytes(Math.ceil(bytes / 2))
      .toString('hex')
      .slice(0, bytes - empty),
  );
};
const mega = 1_000_000;

describe.skipIf(mongoUrl === undefined)('large threads', () => {
  const { database, client } = ownDatabase();
  const store = createMongoCheckpointer({ client, database });
  const thread = threadOfTest();
  // Compared by Node: a failing comparison of megabytes should not print them.
  const holds = async (history: readonly Message[]) => {
    const loaded = await store.load(thread.id);
    return loaded.found && isDeepStrictEqual(loaded.state.history, history);
  };

  test('[C18] five messages of 4 MB in one save are stored and come back equal', async () => {
    const history = Array.from({ length: 5 }, () => sized(4 * mega));
    await store.save(thread.id, { state: state(history), base: absent });
    expect(await holds(history)).toBe(true);
  });

  test('[C18] twenty messages of 1 MB, one a save, have no wall at 16 MB', async () => {
    const history: Message[] = [];
    let base: Position | undefined;
    for (let index = 0; index < 20; index += 1) {
      history.push(sized(mega));
      base = base
        ? await append(store, thread.id, base, history)
        : await store.save(thread.id, { state: state(history), base: absent });
    }
    expect(await holds(history)).toBe(true);
  });

  test('a message of exactly the limit fits, and one byte more is refused before anything is sent', async () => {
    const first = user('first');
    const base = await store.save(thread.id, { state: state([first]), base: absent });
    const largest = sized(store.capabilities.maxMessageBytes);
    const next = await append(store, thread.id, base, [first, largest]);
    expect(await holds([first, largest])).toBe(true);
    const larger = [first, largest, sized(store.capabilities.maxMessageBytes + 1)];
    await expect(append(store, thread.id, next, larger)).rejects.toMatchObject({
      code: 'too_large',
      path: 'history[2]',
    });
    expect(await holds([first, largest])).toBe(true);
  });

  test('a large message of a structure that BSON inflates fits', async () => {
    const numbers = Array.from({ length: 1_500_000 }, (_, index) => index % 10);
    const history = [{ role: 'user' as const, content: null, metadata: { numbers } }];
    await store.save(thread.id, { state: state(history), base: absent });
    expect(await holds(history)).toBe(true);
  });

  test('results of 10 MB ahead of their turn do not add up in one document', async () => {
    const contents = Array.from({ length: 3 }, () => sized(10 * mega).content as string);
    const history = [user('hi'), { role: 'assistant' as const, content: null }];
    let base = await store.save(thread.id, { state: state(history), base: absent });
    for (let done = 0; done <= 3; done += 1) {
      const calls = contents.map((content, index) => ({
        id: `${index}`,
        tool: 'dump',
        key: `${index}`,
        effect: 'read' as const,
        attempt: 0,
        ...(index < done
          ? { status: 'done' as const, result: { role: 'tool' as const, content } }
          : { status: 'planned' as const }),
      }));
      base = await store.save(thread.id, { state: state(history, { run: { ...idle, calls } }), base, appendedFrom: 2 });
    }
    const settled = [...history, ...contents.map((content) => ({ role: 'tool' as const, content }))];
    await store.save(thread.id, { state: state(settled, { run: idle }), base, appendedFrom: 2 });
    expect(await holds(settled)).toBe(true);
  });

  test('a head of 12 MB beside a full tail fits; one past a document is too large, and nothing is changed', async () => {
    const history = [sized(3 * mega)];
    const base = await store.save(thread.id, { state: state(history), base: absent });
    const waiting = (bytes: number) => ({ run: { ...idle, pending_inputs: [sized(bytes)] } });
    const next = await store.save(thread.id, { state: state(history, waiting(12 * mega)), base, appendedFrom: 1 });
    const variables = { text: 'x'.repeat(990_000) };
    const tooMuch = { ...waiting(15.9 * mega), variables };
    const saving = store.save(thread.id, { state: state(history, tooMuch), base: next, appendedFrom: 1 });
    await expect(saving).rejects.toMatchObject({ code: 'too_large' });
    const loaded = await store.load(thread.id);
    expect(loaded.found && loaded.etag).toBe(next.etag);
  });
});

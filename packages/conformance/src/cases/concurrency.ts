import assert from 'node:assert/strict';
import { type Checkpointer, isAgentStateError, type Position } from '@agent-state/core';
import { absent, loaded } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { state, user } from '../fixtures.ts';

/** The saves that were done; of the others, that each was refused with one of `codes`. */
async function winners(saves: readonly Promise<Position>[], ...codes: readonly string[]): Promise<Position[]> {
  const settled = await Promise.allSettled(saves);
  return settled.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [outcome.value];
    const { reason } = outcome;
    assert(isAgentStateError(reason) && codes.includes(reason.code), reason);
    return [];
  });
}

/** Reads, appends and saves `rounds` times; what was acknowledged. A conflict is an answer, and nothing else is. */
async function appendRounds(store: Checkpointer, writer: string, rounds: number): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const base = await loaded(store, 't');
    const text = `${writer} ${round}`;
    const history = [...base.state.history, user(text)];
    const won = await winners(
      [store.save('t', { state: state(history), base, appendedFrom: base.length })],
      'conflict',
    );
    if (won.length > 0) acknowledged.push(text);
  }
  return acknowledged;
}

/** A state in which every message and the variables bear this mark. */
function uniform(mark: number) {
  const history = Array.from({ length: 20 + (mark % 3) }, () => user(`${mark}`));
  return state(history, { variables: { mark } });
}

async function writeUniform(store: Checkpointer): Promise<void> {
  for (let mark = 1; mark <= 30; mark += 1) await store.save('t', { state: uniform(mark) });
}

/** Loads again and again; every load is one of the states that were written. */
async function readUniform(store: Checkpointer): Promise<void> {
  for (let read = 0; read < 60; read += 1) {
    const { state: seen } = await loaded(store, 't');
    assert.deepEqual(seen, uniform(seen.variables.mark as number), 'parts of two writes');
  }
}

/** Writers at the same time, each with a client of its own. */
export const concurrency = [
  defineCase({
    id: 'concurrency/two-writers',
    requirement:
      '[S-CON-01] of two saves on one base at the same time exactly one is done, every time, and it is what is stored',
    needs: ['conditional'],
    run: async ({ store, open }) => {
      const writers = [store, await open()];
      let base = await store.save('t', { state: state([]) });
      for (let round = 0; round < 40; round += 1) {
        const write = (writer: number) => ({
          state: state([user(`${writer}`)]),
          base,
          writeId: `round-${round}-writer-${writer}`,
        });
        const won = await winners(
          writers.map((writer, index) => writer.save('t', write(index))),
          'conflict',
        );
        assert.equal(won.length, 1, `${won.length} of two writers were told that they had saved`);
        base = won[0] as Position;
        const found = await loaded(store, 't');
        assert.equal(found.etag, base.etag);
        assert.deepEqual(found.state.history, [user(base.etag.at(-1) as string)]);
      }
    },
  }),
  defineCase({
    id: 'concurrency/creators',
    requirement: '[S-CON-03] of 20 creates at the same time exactly one is done',
    needs: ['conditional'],
    run: async ({ store, open }) => {
      const writers = [store, await open(), await open(), await open()];
      const base = await absent(store, 't');
      const saves = Array.from({ length: 20 }, (_, index) => {
        const writer = writers[index % writers.length] as Checkpointer;
        return writer.save('t', { state: state([user(`creator ${index}`)]), base });
      });
      const won = await winners(saves, 'conflict');
      assert.equal(won.length, 1, `${won.length} of 20 creators were told that they had created it`);
      assert.equal((await loaded(store, 't')).etag, won[0]?.etag);
    },
  }),
  defineCase({
    id: 'concurrency/nothing-lost',
    requirement:
      '[S-CON-05] two writers that read, append and save lose nothing that was acknowledged, and double nothing',
    needs: ['conditional'],
    run: async ({ store, open }) => {
      await store.save('t', { state: state([]) });
      const both = await Promise.all([appendRounds(store, 'a', 50), appendRounds(await open(), 'b', 50)]);
      const { state: final } = await loaded(store, 't');
      const texts = final.history.map(({ content }) => content as string);
      assert.deepEqual([...texts].sort(), both.flat().sort());
    },
  }),
  defineCase({
    id: 'concurrency/threads',
    requirement: 'many threads written at the same time through one checkpointer do not disturb each other',
    run: async ({ store }) => {
      const ids = Array.from({ length: 50 }, (_, index) => `thread ${index}`);
      await Promise.all(ids.map((id) => store.save(id, { state: state([user(id)]) })));
      const found = await Promise.all(ids.map((id) => loaded(store, id)));
      assert.deepEqual(
        found.map(({ state }) => state.history[0]?.content),
        ids,
      );
    },
  }),
  defineCase({
    id: 'concurrency/whole',
    requirement: 'a load while others write is one write whole, never parts of two',
    run: async ({ store, open }) => {
      await store.save('t', { state: uniform(0) });
      await Promise.all([writeUniform(await open()), readUniform(store)]);
    },
  }),
  defineCase({
    id: 'concurrency/delete-and-save',
    requirement: '[S-DEL-02] a delete among saves leaves nothing of the life that it ended',
    needs: ['conditional', 'tombstones'],
    run: async ({ store, open }) => {
      const deleter = await open();
      for (let round = 0; round < 20; round += 1) {
        const id = `t${round}`;
        const base = await store.save(id, { state: state([user('old')]) });
        const write = { state: state([user('old'), user('late')]), base, appendedFrom: 1 };
        await Promise.all([winners([store.save(id, write)], 'deleted'), deleter.delete(id)]);
        await absent(store, id);
      }
    },
  }),
];

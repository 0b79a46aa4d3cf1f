import assert from 'node:assert/strict';
import type { Checkpointer, CheckpointWrite } from '@agent-state/core';
import { loaded, refused, savedAndLoaded } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { run, state, step, user } from '../fixtures.ts';
import { unserializables } from '../unserializable.ts';

/** The write is refused with this path, on this base and without one, and the thread is as it was before. */
async function refusedAt(store: Checkpointer, path: string, write: CheckpointWrite): Promise<void> {
  const before = await savedAndLoaded(store, 't', { state: state([user('before')], { variables: { a: 1 } }) });
  for (const base of [before, undefined]) {
    const error = await refused(store.save('t', base ? { ...write, base } : write), 'not_serializable');
    assert.equal(error.path, path);
  }
  assert.deepEqual(await loaded(store, 't'), before);
}

const date = () => new Date(0) as never;

/** Each place of a thread where a value may be, with the path that names it. */
const places = [
  ['history[1].content[0].when', () => ({ state: state([user('a'), { role: 'user', content: [{ when: date() }] }]) })],
  ['history[0].metadata.when', () => ({ state: state([{ ...user('a'), metadata: { when: date() } }]) })],
  ['history[0].when', () => ({ state: state([{ ...user('a'), when: date() } as never]) })],
  ['state.when', () => ({ state: state([], { when: date() }) })],
  [
    'state.run.pause.when',
    () => ({ state: state([], { run: run({ pause: { kind: 'request', when: date() } as never }) }) }),
  ],
  [
    'steps[1].variables.when',
    () => ({ state: state([]), steps: [step(1), { ...step(2), variables: { when: date() } }] }),
  ],
] as const;

/** What JSON cannot carry exactly is refused before anything is written, the same on every store. */
export const refusedValues = [
  ...unserializables.map(({ name, what, make, at }) =>
    defineCase({
      id: `refused-values/${name}` as const,
      requirement: `[D5] ${what} is refused with its path, and the checkpoint before stays`,
      run: ({ store }) => {
        const variables = { order: { value: make() } };
        return refusedAt(store, `variables.order.value${at}`, { state: state([user('a')], { variables }) });
      },
    }),
  ),
  ...places.map(([path, write]) =>
    defineCase({
      id: `refused-values/at-${path}` as const,
      requirement: `[D5] a value at ${path} is checked as variables are`,
      run: ({ store }) => refusedAt(store, path, write()),
    }),
  ),
  defineCase({
    id: 'refused-values/shape',
    requirement: 'a state of another shape is refused with the path, and the checkpoint before stays',
    run: async ({ store }) => {
      const before = await savedAndLoaded(store, 't', { state: state([user('before')]) });
      const shapes: [string, unknown][] = [
        ['history[0].role', state([{ role: 'narrator', content: '' } as never])],
        ['history[0].content', state([{ role: 'user', content: 1 } as never])],
        ['history', { history: 'text' }],
        ['variables', { history: [], variables: [] }],
        ['state.current_step', state([], { current_step: -1 })],
        ['state.updated_at', state([], { updated_at: 'yesterday' })],
        ['state.run.pause.wake_at', state([], { run: run({ pause: { kind: 'request', wake_at: '2026-01-01' } }) })],
      ];
      for (const [path, shape] of shapes) {
        const error = await refused(store.save('t', { state: shape as never }), 'invalid_state');
        assert.equal(error.path, path);
      }
      assert.deepEqual(await loaded(store, 't'), before);
    },
  }),
];

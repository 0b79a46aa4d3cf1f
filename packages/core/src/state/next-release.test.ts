import * as v from 'valibot';
import { expect, it, vi } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import { user } from '../testing/samples.ts';
import { createTextStore } from '../testing/text-store.ts';
import type { JsonObject } from './json.ts';
import type { Migration } from './migrations.ts';

/** The next release, as it could be: what schema 1 calls `text` is `content`, and every part says where it came from. */
const next: Migration = {
  head: (head) => ({ ...head, schema_version: 2, from: 1 }),
  variables: (variables) => ({ ...variables, from: 1 }),
  message({ text, ...rest }: JsonObject) {
    return { ...rest, content: text ?? null };
  },
  step: (step) => ({ ...step, from: 1 }),
};

vi.mock('./schema.ts', async (original) => {
  const schema = await original<typeof import('./schema.ts')>();
  const headSchema = v.looseObject({ ...schema.headSchema.entries, schema_version: v.literal(2) });
  return { ...schema, schemaVersion: 2, headSchema };
});
vi.mock('./migrations.ts', async (original) => {
  const { migrate } = await original<typeof import('./migrations.ts')>();
  return {
    migrate: (...[part, value, schema]: Parameters<typeof migrate>) => migrate(part, value, schema, { 1: next }, 2),
  };
});

const control = {
  layout: 1,
  etag: 'e1',
  revision: 1,
  life: { born: 'e1', after: null },
  generation: 0,
  length: 2,
  steps: 1,
  ttl: { ttlMs: null, pausedTtlMs: null },
};
const step = { step: 1, phase: 'think', at: '2026-11-29T10:00:00Z', run_id: 'r', history_length: 3 } as const;

/** A thread as this release wrote it. */
function writtenBefore() {
  const store = createTextStore();
  store.threads.set('t', {
    control: JSON.stringify(control),
    head: '1{"schema_version":1,"agent_profile":"bot","current_step":1,"updated_at":"2026-11-29T10:00:00Z"}',
    variables: '1{"user":"Alice"}',
    messages: new Map([
      [0, '1{"role":"user","text":"hi"}'],
      [1, '1{"role":"assistant","text":"hello"}'],
    ]),
    steps: new Map([[0, `1${JSON.stringify({ ...step, revision: 1, generation: 0 })}`]]),
  });
  return { store, threads: defineCheckpointer(store) };
}

it('[D3] [S-MIG-01] a thread of an older release is migrated when it is loaded, and nothing is written', async () => {
  const { store, threads } = writtenBefore();
  const before = structuredClone(store.threads.get('t'));
  expect(await threads.load('t')).toMatchObject({
    state: {
      schema_version: 2,
      from: 1,
      variables: { user: 'Alice', from: 1 },
      history: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello' },
      ],
    },
  });
  expect(await threads.peek('t')).toMatchObject({ head: { schema_version: 2, from: 1 } });
  expect(await threads.steps('t')).toMatchObject([{ step: 1, from: 1 }]);
  expect(store.threads.get('t')).toEqual(before);
});

it('[D13] [S-MIG-01] appended to, each message, step and part is migrated by the schema that it was written in', async () => {
  const { store, threads } = writtenBefore();
  const loaded = await threads.load('t');
  if (!loaded.found) throw new Error('There is no thread.');
  const state = { ...loaded.state, history: [...loaded.state.history, user('more')] };
  await threads.save('t', {
    state,
    base: loaded,
    appendedFrom: 2,
    variablesChanged: false,
    steps: [{ ...step, step: 2 }],
  });
  const stored = store.threads.get('t');
  expect([...(stored?.messages.values() ?? [])].map((text) => text[0])).toEqual(['1', '1', '2']);
  expect([stored?.head[0], stored?.variables[0]]).toEqual(['2', '1']);
  const again = await threads.load('t');
  expect(again.found && again.state.history.map(({ content }) => content)).toEqual(['hi', 'hello', 'more']);
  expect(again).toMatchObject({ state: { from: 1, variables: { user: 'Alice', from: 1 } } });
  const steps = await threads.steps('t');
  expect(steps.map((record) => [record.step, 'from' in record])).toEqual([
    [1, true],
    [2, false],
  ]);
});

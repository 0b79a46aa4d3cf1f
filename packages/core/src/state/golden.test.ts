import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import { answers, asks, openCall, runRecord, toolCall, user } from '../testing/samples.ts';
import { createTextStore } from '../testing/text-store.ts';
import { createVirtualRuntime } from '../testing/virtual-runtime.ts';
import { schemaVersion, type ThreadStateInput } from './schema.ts';

/** A stored record as a release wrote it, for ever: one file a schema version, never changed once it is released. */
interface Golden {
  readonly control: string;
  readonly head: string;
  readonly variables: string;
  readonly messages: readonly [number, string][];
  readonly steps: readonly [number, string][];
}

const folder = new URL('../../test/golden/', import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Golden;
const releases = readdirSync(folder).filter((name) => name.startsWith('schema-'));

/** A thread that has something of everything. */
const state: ThreadStateInput = {
  agent_profile: 'support_bot',
  current_step: 3,
  updated_at: '2026-11-29T10:00:00.000Z',
  variables: JSON.parse('{"user_name":"Alice","nested":{"a.b":[1,null,"ü"]},"__proto__":{"own":true}}'),
  history: [
    {
      role: 'system',
      content: 'Be kind.',
      metadata: { earlier_inputs: [{ input_id: 'i0', run_id: 'r0', outcome: 'done', answer: 'gone' }] },
    },
    { ...user('Refund order 7.'), metadata: { input_id: 'i1' } },
    { ...asks(toolCall('c1', 'look_up', '{"order":7}')), name: 'bot' },
    { ...answers('c1', '{"total":9}'), metadata: { tool_call_id: 'c1', proposed_arguments: '{"order":8}' } },
    { role: 'user', content: [{ type: 'text', text: 'Go on.' }], metadata: { input_id: 'i2', own_field: 1 } },
    asks(toolCall('c1', 'refund', '{"order":7}'), toolCall('c2', 'mail', '{}'), toolCall('c3', 'pay', '{}')),
  ],
  run: runRecord({
    phase: 'paused',
    owner: null,
    requests: ['w3'],
    iterations: 2,
    active_ms: 5120,
    calls: [
      openCall('c1', {
        tool: 'refund',
        waits_for: 'approval',
        arguments: '{"order":7,"amount":5}',
        replaces: ['key-0'],
        decision: { verdict: 'approve', id: 'd1' },
      }),
      openCall('c2', {
        tool: 'mail',
        status: 'done',
        variables: { mailed: true },
        pause: { wake_at: '2026-12-01T00:00:00.000Z', reason: 'tomorrow' },
        result: answers('c2', 'sent', 'mail'),
      }),
      openCall('c3', { tool: 'pay', effect: 'once', status: 'started', attempt: 1, waits_for: 'outcome' }),
    ],
    pending_inputs: [{ ...user('And?'), metadata: { input_id: 'i3' } }],
    pause: { kind: 'person' },
  }),
};

async function writtenNow(): Promise<Golden> {
  const store = createTextStore();
  const checkpointer = defineCheckpointer(store, createVirtualRuntime());
  const step = { step: 3, phase: 'think' as const, at: '2026-11-29T10:00:00.000Z', run_id: 'run', history_length: 6 };
  await checkpointer.save('t', { base: { found: false, tombstone: null }, writeId: 'w1', state, steps: [step] });
  const thread = store.threads.get('t');
  if (!thread) throw new Error('Nothing was stored.');
  return { ...thread, messages: [...thread.messages], steps: [...thread.steps] };
}

describe('[D3] what a release stored', () => {
  it('is what this one stores: a change of the record is a new schema version', async () => {
    expect(await writtenNow()).toEqual(read(`schema-${schemaVersion}.json`));
  });

  it.each(releases)('%s is read whole by this release', async (name) => {
    const { control, head, variables, messages, steps } = read(name);
    const store = createTextStore();
    store.threads.set('t', { control, head, variables, messages: new Map(messages), steps: new Map(steps) });
    const checkpointer = defineCheckpointer(store, createVirtualRuntime());
    const found = await checkpointer.load('t');
    expect(found.found && JSON.parse(JSON.stringify(found.state))).toEqual({
      ...JSON.parse(JSON.stringify(state)),
      schema_version: schemaVersion,
    });
    expect(await checkpointer.steps('t')).toMatchObject([{ step: 3, phase: 'think' }]);
  });
});

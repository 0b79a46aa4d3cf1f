import assert from 'node:assert/strict';
import { loaded, savedAndLoaded } from '../assertions.ts';
import { type CaseContext, defineCase } from '../case.ts';
import { run, state, step, user } from '../fixtures.ts';
import { type OddValue, oddValues } from '../odd-values.ts';

/** Every place of a thread that holds values of the caller's. */
function everywhere(value: unknown) {
  const part = { type: 'data', value };
  const message = { ...user('text'), content: [part], metadata: { value }, value } as never;
  const pause = { kind: 'request', value } as never;
  return state([message], { variables: { value }, extra: { value }, run: run({ pause }) });
}

/** `value` comes back as `loads` from every place, steps included. */
async function roundTrip({ store, capabilities, open }: CaseContext, { value, loads }: OddValue): Promise<void> {
  const steps = [{ ...step(1), variables: { value } as never }];
  await store.save('t', { state: everywhere(value), steps });
  const found = await loaded(await open(), 't');
  assert.deepEqual(found.state, everywhere(loads));
  if (capabilities.steps) assert.deepEqual((await store.steps('t'))[0]?.variables, { value: loads });
  assert.equal(({} as { polluted?: unknown }).polluted, undefined, 'a stored key reached Object.prototype');
}

/** What is saved is what is loaded, character by character. */
export const values = [
  ...oddValues.map((odd) =>
    defineCase({
      id: `values/${odd.name}` as const,
      requirement: `[D5] ${odd.what} come back exactly, from every place of the state`,
      run: (context) => roundTrip(context, odd),
    }),
  ),
  defineCase({
    id: 'values/undefined-property',
    requirement: '[D5] [S-SER-04] a property that is undefined is absent',
    run: async ({ store }) => {
      const variables = { a: undefined, b: { c: undefined, d: 1 } };
      await store.save('t', { state: state([{ ...user('a'), name: undefined } as never], { variables }) });
      const found = await loaded(store, 't');
      assert.deepEqual(found.state.variables, { b: { d: 1 } });
      assert.deepEqual(found.state.history, [user('a')]);
    },
  }),
  defineCase({
    id: 'values/odd-texts',
    requirement: '[D5] texts of messages come back exactly, whatever is in them',
    run: async ({ store }) => {
      const texts = oddValues.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
      const history = texts.map((text) => user(text));
      const base = await savedAndLoaded(store, 't', { state: state(history) });
      const more = [...history, ...history];
      await savedAndLoaded(store, 't', { state: state(more), base, appendedFrom: base.length });
    },
  }),
  defineCase({
    id: 'values/tool-calls',
    requirement: '[S-SER-05] [S-UNI-01] calls come back with ids, names and arguments as they were, and all metadata',
    run: async ({ store, open }) => {
      const toolCall = (id: string, text: string) => ({
        id,
        type: 'function' as const,
        function: { name: 'look_up', arguments: text },
        index: 1,
      });
      const tool_calls = [
        toolCall('call_2', '{ "place": {"name": "漢字 é 😀 עברית", "at": [1.0, {}]} }'),
        toolCall('call_1', ''),
        toolCall('call_1', '{"cut'),
      ];
      const metadata = {
        tool_calls,
        usage: { input_tokens: 3, output_tokens: 4, cached: 1 },
        vendor: { trace: [null] },
      };
      const thought = { role: 'assistant' as const, content: null, name: 'planner', metadata };
      await savedAndLoaded(store, 't', { state: state([user('a'), thought]) });
      assert.deepEqual((await loaded(await open(), 't')).state.history[1], thought);
    },
  }),
  defineCase({
    id: 'values/contents',
    requirement: 'a content is a text, null or parts, and an empty one is none of the others',
    run: async ({ store }) => {
      const contents = [
        '',
        null,
        [],
        [{}],
        [
          { type: 'text', text: '' },
          { type: 'image', url: 'data:,x' },
        ],
      ];
      const history = contents.map((content) => ({ role: 'assistant' as const, content }));
      await savedAndLoaded(store, 't', { state: state(history) });
    },
  }),
];

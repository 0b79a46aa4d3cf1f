import assert from 'node:assert/strict';
import type { Checkpointer } from '@agent-state/core';
import { matching } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { state } from '../fixtures.ts';

/** Saves one thread for each variable value, under its name. */
async function withVariables(store: Checkpointer, threads: Record<string, Record<string, unknown>>): Promise<void> {
  for (const [id, variables] of Object.entries(threads)) await store.save(id, { state: state([], { variables }) });
}

/** What `query` finds by variables. */
export const variableQueries = [
  defineCase({
    id: 'queries/variables',
    requirement: 'variables are equal in type and value; an absent one is not null',
    needs: ['query'],
    run: async ({ store }) => {
      const values = { text: '1', number: 1, fraction: 1.5, yes: true, no: false, zero: 0, nothing: null, empty: '' };
      await withVariables(store, Object.fromEntries(Object.entries(values).map(([id, value]) => [id, { value }])));
      await withVariables(store, {
        absent: {},
        nested: { value: { value: 1 } },
        array: { value: [1, '1', true, null] },
      });
      for (const [id, value] of Object.entries(values)) {
        assert.deepEqual(
          await matching(store, { variables: { value } }),
          [id],
          `variables.value = ${JSON.stringify(value)}`,
        );
      }
      assert.deepEqual(await matching(store, { variables: { value: 'true' } }), []);
      assert.deepEqual(await matching(store, { variables: { value: 2 } }), []);
    },
  }),
  defineCase({
    id: 'queries/variable-keys',
    requirement: 'a variable is found by its key as it is, which is no path and no operator',
    needs: ['query'],
    run: async ({ store }) => {
      const keys = [
        'a.b',
        '$where',
        '',
        'a',
        '__proto__',
        'constructor',
        'key "quoted"',
        "it's",
        '$',
        'a[0]',
        'é',
        '*',
        '0',
      ];
      for (const [index, key] of keys.entries()) {
        const variables = JSON.parse(`{${JSON.stringify(key)}: "found"}`) as Record<string, string>;
        await store.save(`${index}`, { state: state([], { variables }) });
        assert.deepEqual(await matching(store, { variables }), [`${index}`], `key ${JSON.stringify(key)}`);
      }
      await withVariables(store, { path: { x: { y: 'path' } }, list: { z: ['path'] } });
      assert.deepEqual(await matching(store, { variables: { 'x.y': 'path' } }), []);
      assert.deepEqual(await matching(store, { variables: { 'z.0': 'path' } }), []);
    },
  }),
  defineCase({
    id: 'queries/variable-values',
    requirement: '[F2] values that look like operators, patterns or fields are literals',
    needs: ['query'],
    run: async ({ store }) => {
      const texts = ['.*', '%', '_', '$etag', '$ne', "' or 1=1 --", '{"$ne":null}', '\\', '"', '\u0000', '😀', 'null'];
      await withVariables(store, { other: { a: 'something' } });
      for (const text of texts) {
        assert.deepEqual(await matching(store, { variables: { a: text } }), []);
        await store.save(text.replace('\u0000', 'NUL'), { state: state([], { variables: { a: text } }) });
        assert.deepEqual(await matching(store, { variables: { a: text } }), [text.replace('\u0000', 'NUL')]);
      }
    },
  }),
];

import assert from 'node:assert/strict';
import type { Checkpointer, Message, ThreadQuery } from '@agent-state/core';
import { matching, refused } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { calling, openCall, run, state, toolResult, user } from '../fixtures.ts';
import { pagesOf } from '../pages.ts';

/** Saves one thread for each history, under its name. */
async function withHistories(store: Checkpointer, threads: Record<string, readonly Message[]>): Promise<void> {
  for (const [id, history] of Object.entries(threads)) await store.save(id, { state: state(history) });
}

/** What `query` finds. */
export const queries = [
  defineCase({
    id: 'queries/profile',
    requirement: 'agentProfile finds the threads of exactly that profile',
    needs: ['query'],
    run: async ({ store }) => {
      for (const agent_profile of ['a', 'A', 'ab', '.*', '', '$ne']) {
        await store.save(`of ${agent_profile}`, { state: state([], { agent_profile }) });
      }
      for (const agentProfile of ['a', 'A', '.*', '', '$ne']) {
        assert.deepEqual(await matching(store, { agentProfile }), [`of ${agentProfile}`]);
      }
      assert.deepEqual(await matching(store, { agentProfile: '%' }), []);
      assert.equal((await matching(store, {})).length, 6);
    },
  }),
  defineCase({
    id: 'queries/time',
    requirement: '[S-QRY-02] updatedFrom is inclusive, updatedBefore exclusive, both compared as instants',
    needs: ['query'],
    run: async ({ store }) => {
      const hours = ['10:00:00Z', '13:00:00+02:00', '12:00:00.000Z', '13:00:00Z'];
      for (const [index, hour] of hours.entries()) {
        await store.save(`${index}`, { state: state([], { updated_at: `2026-01-01T${hour}` }) });
      }
      const [eleven, one] = ['2026-01-01T11:00:00Z', '2026-01-01T14:00:00+01:00'];
      assert.deepEqual(await matching(store, { updatedFrom: eleven }), ['1', '2', '3']);
      assert.deepEqual(await matching(store, { updatedBefore: one }), ['0', '1', '2']);
      assert.deepEqual(await matching(store, { updatedFrom: eleven, updatedBefore: one }), ['1', '2']);
      assert.deepEqual(await matching(store, { updatedFrom: one, updatedBefore: eleven }), []);
    },
  }),
  defineCase({
    id: 'queries/most-recent',
    requirement:
      '[S-QRY-02] the first of twenty are the most recent ones, latest first; a bound holds with a limit too',
    needs: ['query'],
    run: async ({ store }) => {
      const time = (number: number) => `2026-01-01T12:00:${number}Z`;
      for (let number = 10; number < 30; number += 1) {
        await store.save(`${number}`, { state: state([], { updated_at: time(number) }) });
      }
      const first = async (query: ThreadQuery) => (await store.query(query)).threads.map(({ threadId }) => threadId);
      assert.deepEqual(await first({ limit: 5 }), ['29', '28', '27', '26', '25']);
      const fromTwenty = ['29', '28', '27', '26', '25', '24', '23', '22', '21', '20'];
      assert.deepEqual(await first({ updatedFrom: time(20) }), fromTwenty);
      assert.deepEqual(await first({ updatedFrom: time(20), limit: 5 }), fromTwenty.slice(0, 5));
      assert.deepEqual(await first({ updatedBefore: time(20), limit: 3 }), ['19', '18', '17']);
    },
  }),
  defineCase({
    id: 'queries/tool',
    requirement: 'toolName finds the threads in which the tool was called or has answered, by its exact name',
    needs: ['query'],
    run: async ({ store }) => {
      await withHistories(store, {
        called: [user('a'), calling('search', 'other')],
        answered: [toolResult('search', 'x')],
        longer: [calling('search_all')],
        mentioned: [user('search'), { ...user('a'), name: 'search' }],
        pattern: [calling('se.*')],
      });
      assert.deepEqual(await matching(store, { toolName: 'search' }), ['answered', 'called']);
      assert.deepEqual(await matching(store, { toolName: 'other' }), ['called']);
      assert.deepEqual(await matching(store, { toolName: 'se.*' }), ['pattern']);
      assert.deepEqual(await matching(store, { toolName: 'Search' }), []);
    },
  }),
  defineCase({
    id: 'queries/text',
    requirement: 'text finds a part of a message, letter by letter: case counts, and nothing is a pattern',
    needs: ['query'],
    run: async ({ store }) => {
      const texts = [
        'Straße 100%',
        'strasse',
        'a.c',
        'abc',
        'x_y',
        'xzy',
        'say "hi" \\ back',
        'line\nbreak',
        '😀',
        '$where',
      ];
      await withHistories(
        store,
        Object.fromEntries(texts.map((text, index) => [`${index}`, [user('first'), user(`<${text}>`)]])),
      );
      for (const [index, text] of texts.entries())
        assert.deepEqual(await matching(store, { text }), [`${index}`], text);
      assert.deepEqual(await matching(store, { text: 'STRASSE' }), []);
      assert.deepEqual(await matching(store, { text: '.*' }), []);
      assert.deepEqual(await matching(store, { text: '^' }), []);
    },
  }),
  defineCase({
    id: 'queries/text-places',
    requirement: 'text looks into contents and the texts of parts, and nowhere else',
    needs: ['query'],
    run: async ({ store }) => {
      const part = { role: 'user' as const, content: [{ type: 'image' }, { type: 'text', text: 'a needle' }] };
      await withHistories(store, {
        content: [user('needle')],
        part: [part],
        metadata: [{ ...user('a'), metadata: { note: 'needle' } }],
        role: [{ ...user('a'), name: 'needle' }],
        call: [calling('needle')],
        otherPart: [{ role: 'user', content: [{ type: 'needle', url: 'needle' }] }],
        none: [{ role: 'assistant', content: null }],
      });
      await store.save('variables', { state: state([], { variables: { a: 'needle' } }) });
      const calls = [openCall('tool', toolResult('tool', 'needle'))];
      await store.save('ahead', { state: state([calling('tool')], { run: run({ calls }) }) });
      assert.deepEqual(await matching(store, { text: 'needle' }), ['content', 'part']);
    },
  }),
  defineCase({
    id: 'queries/all-conditions',
    requirement: 'every condition given has to hold, and several variables too',
    needs: ['query'],
    run: async ({ store }) => {
      for (const agent_profile of ['p', 'q']) {
        for (const a of [1, 2]) {
          for (const b of ['x', 'y']) {
            const changes = { agent_profile, variables: { a, b } };
            await store.save(agent_profile + a + b, { state: state([user(`${a}${b}`), calling(b)], changes) });
          }
        }
      }
      assert.deepEqual(await matching(store, { variables: { a: 1, b: 'x' } }), ['p1x', 'q1x']);
      assert.deepEqual(await matching(store, { agentProfile: 'p', variables: { a: 2 }, toolName: 'y', text: '2' }), [
        'p2y',
      ]);
      assert.deepEqual(await matching(store, { agentProfile: 'p', toolName: 'x', text: 'y' }), []);
      const everything = {
        agentProfile: 'q',
        updatedFrom: '2026-01-01T00:00:00Z',
        updatedBefore: '2027-01-01T00:00:00Z',
      };
      assert.deepEqual(await matching(store, everything), ['q1x', 'q1y', 'q2x', 'q2y']);
    },
  }),
  defineCase({
    id: 'queries/current',
    requirement: 'a query sees what is stored now: not a replaced history, older variables, deleted threads',
    needs: ['query'],
    run: async ({ store }) => {
      const old = state([user('old text'), calling('old_tool')], { variables: { a: 'old' }, agent_profile: 'old' });
      await store.save('t', { state: old });
      await store.save('deleted', { state: old });
      const base = await store.save('t', { state: state([user('new text')], { variables: { a: 'new' } }) });
      await store.save('t', {
        state: state([user('new text'), user('appended')]),
        base,
        appendedFrom: 1,
        variablesChanged: false,
      });
      await store.delete('deleted');
      const stale = [{ text: 'old' }, { toolName: 'old_tool' }, { variables: { a: 'old' } }, { agentProfile: 'old' }];
      for (const query of stale) assert.deepEqual(await matching(store, query), []);
      for (const query of [{ text: 'new' }, { text: 'appended' }, { variables: { a: 'new' } }]) {
        assert.deepEqual(await matching(store, query), ['t']);
      }
    },
  }),
  defineCase({
    id: 'queries/long-threads',
    requirement: 'text and tools are found wherever in a long thread they are',
    needs: ['query'],
    run: async ({ store }) => {
      const filler = Array.from({ length: 200 }, (_, index) => user(`filler ${index}`));
      const histories = {
        start: [calling('rare'), user('needle'), ...filler],
        middle: [...filler, calling('rare'), user('needle'), ...filler],
        none: filler,
      };
      await withHistories(store, histories);
      let base = await store.save('appended', { state: state(filler) });
      base = await store.save('appended', { state: state([...filler, ...filler]), base, appendedFrom: 200 });
      const end = state([...filler, ...filler, calling('rare'), user('needle')]);
      await store.save('appended', { state: end, base, appendedFrom: 400 });
      assert.deepEqual(await matching(store, { text: 'needle' }), ['appended', 'middle', 'start']);
      assert.deepEqual(await matching(store, { toolName: 'rare' }), ['appended', 'middle', 'start']);
    },
  }),
  defineCase({
    id: 'queries/pages',
    requirement: '[S-QRY-05] pages of matches, joined, are what one call gives, latest first',
    needs: ['query'],
    run: async ({ store }) => {
      for (let number = 0; number < 30; number += 1) {
        const updated_at = `2026-01-01T12:00:${String(number).padStart(2, '0')}Z`;
        const history = [user(number % 2 ? 'odd' : 'even')];
        await store.save(`${number}`, { state: state(history, { updated_at, agent_profile: `${number % 3}` }) });
      }
      const query = { text: 'odd', agentProfile: '1' };
      for (const limit of [1, 2, 3, 5, 100]) {
        const joined = await pagesOf((options) => store.query({ ...query, ...options }), limit);
        assert.deepEqual(
          joined.map(({ threadId }) => threadId),
          ['25', '19', '13', '7', '1'],
          `in pages of ${limit}`,
        );
      }
    },
  }),
  defineCase({
    id: 'queries/refused',
    requirement:
      '[F2] [S-SEC-02] conditions that are no literals, unknown ones and odd instants are refused before the store is asked',
    needs: ['query'],
    run: async ({ store }) => {
      const queries: unknown[] = [
        { agentProfile: { $ne: null } },
        { agentProfile: /x/ },
        { toolName: ['a'] },
        { text: 5 },
        { text: null },
        { variables: { a: { $gt: '' } } },
        { variables: { a: ['x'] } },
        { variables: { a: /x/ } },
        { variables: { a: undefined } },
        { variables: 'a' },
        { variables: null },
        { $where: 'true' },
        { thread_id: 'x' },
        { updatedFrom: 'yesterday' },
        { updatedBefore: 5 },
        { phase: 'asleep' },
        { phase: null },
        { phase: { $ne: 'idle' } },
        { phase: ['idle', 'paused'] },
        { dueAt: 'tomorrow' },
        { dueAt: 5 },
        { dueAt: new Date(0) },
        { dueAt: { $gt: '' } },
        { dueAt: '2026-01-01T12:00:00' },
        { dueAt: '9999-12-31T23:59:59-01:00' },
        { limit: 0 },
        { limit: '10' },
      ];
      for (const query of queries) await refused(store.query(query as ThreadQuery), 'invalid_argument');
    },
  }),
];

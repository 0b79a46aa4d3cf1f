import { noon, run } from '@agent-state/conformance/fixtures';
import { createThreads, type ThreadQuery } from '@agent-state/core';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { createSqliteCheckpointer } from './checkpointer.ts';

type Seed = { readonly text?: string; readonly tool?: string; readonly variables?: Record<string, unknown> };

async function seeded(seeds: Readonly<Record<string, Seed>>) {
  const checkpointer = createSqliteCheckpointer({ path: ':memory:' });
  let minute = 0;
  for (const [threadId, { text = 'hello', tool, variables = {} }] of Object.entries(seeds)) {
    minute += 1;
    const call = { id: 'c', type: 'function' as const, function: { name: tool ?? '', arguments: '{}' } };
    const history = [
      { role: 'user' as const, content: text },
      ...(tool === undefined ? [] : [{ role: 'assistant' as const, content: null, metadata: { tool_calls: [call] } }]),
    ];
    const updated_at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
    await checkpointer.save(threadId, { state: { history, variables, updated_at } });
  }
  return checkpointer;
}

const idsOf = async (page: Promise<{ threads: readonly { threadId: string }[] }>) =>
  (await page).threads.map(({ threadId }) => threadId);

it('finds a text letter by letter: quotes, backslashes, line ends, pairs and their halves, no patterns', async () => {
  const texts = ['say "yes"', 'back\\slash', 'two\nlines', 'a 😀 face', '100%', 'a_b', 'Straße', 'tab\there', '\u2028'];
  const checkpointer = await seeded(Object.fromEntries(texts.map((text, index) => [`t${index}`, { text }])));
  for (const [index, text] of texts.entries()) {
    expect(await idsOf(checkpointer.query({ text }))).toContain(`t${index}`);
  }
  expect(await idsOf(checkpointer.query({ text: '"yes"' }))).toEqual(['t0']);
  expect(await idsOf(checkpointer.query({ text: '\ud83d' }))).toEqual(['t3']);
  expect(await idsOf(checkpointer.query({ text: '%' }))).toEqual(['t4']);
  expect(await idsOf(checkpointer.query({ text: '_' }))).toEqual(['t5']);
  expect(await idsOf(checkpointer.query({ text: 'STRASSE' }))).toEqual([]);
});

it('does not find the text of what is no text: roles, names of tools, variables', async () => {
  const checkpointer = await seeded({ thread: { text: 'hello', tool: 'weather', variables: { city: 'Bonn' } } });
  for (const text of ['user', 'weather', 'Bonn', 'content']) {
    expect(await idsOf(checkpointer.query({ text }))).toEqual([]);
  }
  expect(await idsOf(checkpointer.query({ text: '' }))).toEqual(['thread']);
});

it('compares variables by value and type, at the top level only', async () => {
  const checkpointer = await seeded({
    number: { variables: { n: 1 } },
    longer: { variables: { n: 12 } },
    text: { variables: { n: '1' } },
    nested: { variables: { outer: { n: 1 } } },
    quoted: { variables: { other: '"n":1' } },
    zero: { variables: { n: -0 } },
    odd: { variables: { 'a.b"c': null, $where: true } },
  });
  expect(await idsOf(checkpointer.query({ variables: { n: 1 } }))).toEqual(['number']);
  expect(await idsOf(checkpointer.query({ variables: { n: '1' } }))).toEqual(['text']);
  expect(await idsOf(checkpointer.query({ variables: { n: 0 } }))).toEqual(['zero']);
  expect(await idsOf(checkpointer.query({ variables: { 'a.b"c': null, $where: true } }))).toEqual(['odd']);
});

it('finds a tool by its whole name', async () => {
  const checkpointer = await seeded({ one: { tool: 'weather' }, other: { tool: 'weather_now' }, none: {} });
  expect(await idsOf(checkpointer.query({ toolName: 'weather' }))).toEqual(['one']);
});

it('gives pages of matches in one order, however many others lie between', async () => {
  const seeds = Array.from({ length: 60 }, (_, n) => [`t${n}`, { text: n % 3 === 0 ? 'needle' : 'needless' }] as const);
  const checkpointer = await seeded(Object.fromEntries(seeds));
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await checkpointer.query({ text: 'needle', limit: 7, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.threads.map(({ threadId }) => threadId));
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(found).toEqual(seeds.map(([threadId]) => threadId).reverse());
});

it('says which thread it cannot read, and does not leave it out', async () => {
  const database = new Database(':memory:');
  const checkpointer = createSqliteCheckpointer({ database });
  await checkpointer.save('thread', { state: { history: [{ role: 'user', content: 'hello' }] } });
  database.exec(`update agent_checkpoints_messages set text = '1{"role":"user","content":"hello'`);
  await expect(checkpointer.query({ text: 'hello' })).rejects.toMatchObject({ code: 'corrupt', threadId: 'thread' });
});

const sleeping = { history: [], run: run({ phase: 'paused', pause: { kind: 'request', wake_at: noon } }) } as const;

it('finds what is due where another thread that is due cannot be read', async () => {
  const database = new Database(':memory:');
  const checkpointer = createSqliteCheckpointer({ database });
  for (const threadId of ['a', 'unreadable', 'z']) {
    await checkpointer.save(threadId, { state: { ...sleeping, updated_at: noon } });
  }
  database.exec(`update agent_checkpoints_heads set head = 'junk', "variables" = '' where thread_id = 'unreadable'`);
  await expect(checkpointer.load('unreadable')).rejects.toMatchObject({ code: 'corrupt' });
  expect(await createThreads(checkpointer).due(new Date(noon))).toEqual(['a', 'unreadable', 'z']);
});

it.each<[ThreadQuery, string]>([
  [{ dueAt: noon }, 'bywaketime (wake_at<?)'],
  [{ dueAt: noon, cursor: Buffer.from('[1,"x"]').toString('base64url') }, 'bywaketime (wake_at<?)'],
  [{ dueAt: noon, agentProfile: 'bot', phase: 'paused', updatedFrom: noon }, 'bywaketime (wake_at<?)'],
  [{ dueAt: noon, text: 'hello' }, 'bywaketime (wake_at<?)'],
  [{ agentProfile: 'bot' }, 'byprofile (agent_profile=?)'],
  [{ updatedFrom: noon }, 'byupdate (updated_ms>?)'],
])('goes by an index to find %j', async (query, index) => {
  const database = new Database(':memory:');
  const asked: string[] = [];
  const checkpointer = createSqliteCheckpointer({
    database: {
      exec: (sql) => database.exec(sql),
      prepare(sql) {
        asked.push(sql);
        return database.prepare(sql);
      },
    },
  });
  await checkpointer.query(query);
  const plan = database.prepare(`explain query plan ${asked.findLast((sql) => sql.includes('"updated_ms" desc'))}`);
  const [first] = plan.all() as { detail: string }[];
  expect(first?.detail).toBe(`SEARCH agent_checkpoints_heads USING INDEX agent_checkpoints_${index}`);
});

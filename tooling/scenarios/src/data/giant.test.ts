import { randomUUID } from 'node:crypto';
import { createThreads, type JsonValue, type Message } from '@agent-state/core';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { describe, expect, it } from 'vitest';
import { calls, says, startProcess, tool } from '../agent.ts';
import { opened, stores } from '../stores.ts';

function nested(levels: number): JsonValue {
  let value: JsonValue = 'bottom';
  for (let level = 0; level < levels; level += 1) value = { down: value };
  return value;
}

describe.each(stores)('on %s', (_name, openStore) => {
  const open = () => opened(openStore);

  it('[D4] an input past the limit is refused with the limit, an answer past it is a model error, and the thread goes on', async () => {
    const threadId = randomUUID();
    let asked = 0;
    const giant = () => {
      asked += 1;
      return says(asked <= 3 ? 'x'.repeat(16_000_001) : 'Small.');
    };
    const process = startProcess(open(), [says('One.'), giant]);
    const agent = process.agent(threadId);
    await agent.run('Hi');
    const tooLarge = { code: 'too_large', limitBytes: 16_000_000, actualBytes: expect.any(Number) };
    await expect(agent.run('x'.repeat(16_000_001))).rejects.toMatchObject(tooLarge);
    await expect(agent.run('Again')).rejects.toMatchObject({
      code: 'model',
      message: expect.stringContaining('16000000 are allowed'),
    });
    expect(await agent.run('And again')).toMatchObject({ answer: 'Small.', durable: true });
    const history = (await createThreads(open()).get(threadId))?.history ?? [];
    expect(history.map(({ content }) => content).slice(1)).toEqual(['Hi', 'One.', 'Again', 'And again', 'Small.']);
  });

  it('[D4] a value nested 10,000 levels is refused with the limit and no stack overflow, from whichever side it comes', async () => {
    const threadId = randomUUID();
    const deep = tool('deep', () => nested(10_000));
    const sets = tool('sets', (_args, { variables }) => variables.set('deep', nested(10_000)));
    const takes = tool('takes', () => 'taken');
    const text = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    const turns = [calls('deep', {}, 'sets', {}, 'takes', text), says('Done.')];
    const agent = startProcess(open(), turns, [deep, sets, takes]).agent(threadId);
    await expect(agent.run([{ deep: nested(10_000) }])).rejects.toMatchObject({
      code: 'not_serializable',
      message: expect.stringContaining('128 levels'),
    });
    expect(await agent.run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    const state = await createThreads(open()).get(threadId);
    const results = state?.history.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results).toEqual([
      expect.stringMatching(/^Error: result\.down.*nesting past 128 levels/),
      expect.stringMatching(/^Error: variables\.deep.*nesting past 127 levels/),
      // The arguments are a text to us: as deep as the model likes.
      'taken',
    ]);
  });
});

it('[D4] 100,000 messages are stored, loaded and gone on with', async () => {
  const checkpointer = opened(createMemoryCheckpointer);
  const history = Array.from({ length: 100_000 }, (_, n): Message => ({ role: 'user', content: `${n}` }));
  await checkpointer.save('t', { state: { history } });
  const process = startProcess(checkpointer, [says('Done.')]);
  expect(await process.agent('t').run('Go')).toMatchObject({ answer: 'Done.', durable: true });
  const stored = (await createThreads(checkpointer).get('t'))?.history ?? [];
  expect(stored).toHaveLength(history.length + 2);
  expect(stored.slice(0, history.length)).toEqual(history);
});

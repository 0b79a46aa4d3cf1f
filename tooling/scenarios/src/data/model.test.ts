import { randomUUID } from 'node:crypto';
import { type Checkpointer, createThreads, type Message, type ModelAnswer, type ToolCall } from '@agent-state/core';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { describe, expect, it } from 'vitest';
import { calls, says, startProcess, tool } from '../agent.ts';
import { dyingAt } from '../dying.ts';
import { opened, stores } from '../stores.ts';

/** A call as a model may send it: its id may be missing, empty, or one that was there before. */
function call(id: string | undefined, name: string, args: string): ToolCall {
  return { ...(id === undefined ? {} : { id }), type: 'function', function: { name, arguments: args } } as ToolCall;
}

const asks = (...toolCalls: readonly ToolCall[]): ModelAnswer => ({ content: null, toolCalls });

const echo = tool('echo', (args) => args);

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The turn's calls with what answered each: `[id of the call, id that the result names, the result]`. */
function paired(history: readonly Message[], turn: number): unknown[][] {
  const at = history.flatMap(({ metadata }, index) => (metadata?.tool_calls ? [index] : []))[turn] as number;
  return (history[at]?.metadata?.tool_calls ?? []).map(({ id }, offset) => {
    const result = history[at + 1 + offset];
    return [id, result?.metadata?.tool_call_id, result?.content];
  });
}

describe.each(stores)('on %s', (_name, openStore) => {
  const open = () => opened(openStore);
  const historyOf = async (threadId: string) => (await createThreads(open()).get(threadId))?.history ?? [];

  it('[D8] calls without an id get ids of their own, and each call has its own result', async () => {
    const threadId = randomUUID();
    const turn = asks(call(undefined, 'echo', '{"n":1}'), call('', 'echo', '{"n":2}'), call('mine', 'echo', '{"n":3}'));
    await startProcess(open(), [turn, says('Done.')], [echo])
      .agent(threadId)
      .run('Go');
    const turns = paired(await historyOf(threadId), 0);
    const [first, second] = turns.map(([id]) => id as string);
    expect(first).toMatch(/^call_.{8,}/);
    expect(second).toMatch(/^call_.{8,}/);
    expect(second).not.toBe(first);
    expect(turns).toEqual([
      [first, first, '{"n":1}'],
      [second, second, '{"n":2}'],
      ['mine', 'mine', '{"n":3}'],
    ]);
  });

  it('[D8] an unknown tool and malformed arguments are failed results, no tool starts, and the run goes on', async () => {
    const threadId = randomUUID();
    const started: unknown[] = [];
    const watched = tool('echo', (args) => started.push(args));
    const malformed = ['{"cut":', '[1]', 'null', '"text"', '{"a":1}}', 'NaN'];
    const turn = asks(
      ...['missing', 'constructor', '__proto__', ''].map((name, index) => call(`u${index}`, name, '{}')),
      ...malformed.map((args, index) => call(`m${index}`, 'echo', args)),
    );
    const process = startProcess(open(), [turn, says('Sorry.')], [watched]);
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Sorry.', durable: true });
    expect(started).toEqual([]);
    const history = await historyOf(threadId);
    const results = paired(history, 0);
    expect(results.every(([id, answered]) => id === answered)).toBe(true);
    expect(results.slice(0, 4).map(([, , content]) => content)).toEqual([
      'Error: There is no tool named missing.',
      'Error: There is no tool named constructor.',
      'Error: There is no tool named __proto__.',
      'Error: There is no tool named .',
    ]);
    for (const [, , content] of results.slice(4)) expect(content).toMatch(/^Error: The arguments are not (a )?JSON/);
    expect(history.filter(({ role }) => role === 'tool').map(({ metadata }) => metadata?.outcome)).toEqual(
      results.map(() => 'failed'),
    );
  });

  it('[D11] an id of an earlier turn, and one that two calls share: each result with its own call, ids as they came', async () => {
    const threadId = randomUUID();
    const turns = [
      asks(call('same', 'echo', '{"n":1}')),
      asks(call('same', 'echo', '{"n":2}'), call('same', 'echo', '{"n":3}')),
      asks(call('same', 'echo', '{"n":1}')),
      says('Done.'),
    ];
    const keys: string[] = [];
    const keyed = tool('echo', (args, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return args;
    });
    await startProcess(open(), turns, [keyed]).agent(threadId).run('Go');
    const history = await historyOf(threadId);
    expect([0, 1, 2].map((turn) => paired(history, turn))).toEqual([
      [['same', 'same', '{"n":1}']],
      [
        ['same', 'same', '{"n":2}'],
        ['same', 'same', '{"n":3}'],
      ],
      [['same', 'same', '{"n":1}']],
    ]);
    expect(new Set(keys).size).toBe(4);
  });

  it('[D11] a process that dies between the results of two calls with one id: the other one is run, and only that', async () => {
    const threadId = randomUUID();
    const turns = [
      asks(call('same', 'echo', '{"n":1}')),
      asks(call('same', 'echo', '{"n":2}'), call('same', 'echo', '{"n":3}')),
      says('Done.'),
    ];
    const ran: unknown[] = [];
    const noted = tool('echo', (args) => {
      ran.push((args as { n: number }).n);
      return args;
    });
    // W0, W1, W4, W1, and the first result of the second turn.
    const dying = dyingAt(open(), 5, 'after');
    const options = { toolConcurrency: 1, storeCallMs: 60_000 };
    void startProcess(dying, turns, [noted], options)
      .agent(threadId)
      .run('Go')
      .catch(() => {});
    await dying.died;
    const second = startProcess(open(), turns, [noted]);
    expect(await second.agent(threadId).resume()).toMatchObject({ answer: 'Done.', durable: true });
    expect(ran).toEqual([1, 2, 3]);
    expect(paired(await historyOf(threadId), 1)).toEqual([
      ['same', 'same', '{"n":2}'],
      ['same', 'same', '{"n":3}'],
    ]);
  });

  it('[D10] an answer with a lone surrogate is a model error: no tool runs twice, and the thread goes on', async () => {
    const threadId = randomUUID();
    let asked = 0;
    let ran = 0;
    const once = tool('once', () => {
      ran += 1;
      return ran;
    });
    const broken = () => {
      asked += 1;
      return says(asked <= 3 ? 'bad \ud800' : 'Good.');
    };
    const process = startProcess(open(), [calls('once', {}), broken], [once]);
    await expect(process.agent(threadId).run('Go')).rejects.toMatchObject({ code: 'model' });
    expect(asked).toBe(3);
    expect((await historyOf(threadId)).map(({ content }) => content)).toEqual(['Be helpful.', 'Go', null, '1']);
    expect(await process.agent(threadId).run('Again')).toMatchObject({ answer: 'Good.', durable: true });
    expect(ran).toBe(1);
    expect((await historyOf(threadId)).at(-1)?.content).toBe('Good.');
  });
});

it('[D8] of 500 calls in one turn no more run at once than may, and every result is there in call order', async () => {
  const threadId = 't';
  let running = 0;
  let most = 0;
  const counted = tool('echo', async (args) => {
    running += 1;
    most = Math.max(most, running);
    await wait(5);
    running -= 1;
    return args;
  });
  const many = Array.from({ length: 500 }, (_, n) => call(`c${n}`, 'echo', `{"n":${n}}`));
  // As slow as a store over a network, so that many results are saved together.
  const checkpointer = opened(createMemoryCheckpointer);
  const slow: Checkpointer = {
    ...checkpointer,
    save: (thread, write) => wait(50).then(() => checkpointer.save(thread, write)),
  };
  const process = startProcess(slow, [asks(...many), says('Done.')], [counted], { toolConcurrency: 8 });
  expect(await process.agent(threadId).run('Go')).toMatchObject({ durable: true });
  expect(most).toBe(8);
  expect(paired((await createThreads(checkpointer).get(threadId))?.history ?? [], 0)).toEqual(
    many.map(({ id }, n) => [id, id, `{"n":${n}}`]),
  );
});

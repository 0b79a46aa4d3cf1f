import type { Message, ModelRequest } from '@agent-state/core';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { expect, it } from 'vitest';
import { calls, createGate, says, startProcess, tool } from '../agent.ts';
import { loaded } from '../stored.ts';

const names = ['a', 'b', 'c', 'd', 'e'];

function ordersOf(all: readonly string[]): string[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((first) => ordersOf(all.filter((other) => other !== first)).map((rest) => [first, ...rest]));
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Five calls that end in this order, each while the save of the one before is under way, or all at once. */
async function endingIn(order: readonly string[], pace: 'one by one' | 'at once') {
  const store = createMemoryCheckpointer();
  const slow = {
    ...store,
    async save(...args: Parameters<typeof store.save>) {
      await turn();
      return store.save(...args);
    },
  };
  const gates = new Map(names.map((name) => [name, createGate()]));
  const allStarted = createGate();
  let started = 0;
  const tools = names.map((name) =>
    tool(name, async () => {
      started += 1;
      if (started === names.length) allStarted.open();
      await gates.get(name)?.passed;
      return `by ${name}`;
    }),
  );
  let shown: readonly Message[] = [];
  const answer = ({ messages }: ModelRequest) => {
    shown = messages;
    return says('Done.');
  };
  const process = startProcess(slow, [calls(...names.flatMap((name) => [name, {}])), answer], tools);
  const running = process.agent('t').run('Go');
  await allStarted.passed;
  for (const name of order) {
    gates.get(name)?.open();
    if (pace === 'one by one') await turn();
  }
  expect(await running).toMatchObject({ answer: 'Done.', durable: true });
  const ended = process.events.flatMap((event) => (event.type === 'tool_finished' ? [event.tool] : []));
  return { ended, shown, stored: (await loaded(store, 't')).state.history };
}

const results = names.map((name, index) => ['tool', `call_${index}`, `by ${name}`]);
const around = ['system', 'user', 'assistant', 'assistant'];
const inShort = ({ role, content, metadata }: Message) => [role, metadata?.tool_call_id, content];

it.each(['one by one', 'at once'] as const)(
  '[E12] [S-CON-02] five results that arrive %s, in each of their 120 orders, are all there, each with its call, in the order of the calls',
  async (pace) => {
    for (const order of ordersOf(names)) {
      const { ended, shown, stored } = await endingIn(order, pace);
      expect(ended).toEqual(order);
      for (const history of [shown, stored]) expect(history.slice(3, 8).map(inShort)).toEqual(results);
      expect(stored.map(({ role }) => role).filter((role) => role !== 'tool')).toEqual(around);
      expect(stored).toHaveLength(around.length + results.length);
    }
  },
);

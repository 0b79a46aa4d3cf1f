import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { expect, it } from 'vitest';
import { calls, createGate, says, startProcess, tool } from '../agent.ts';
import { loaded } from '../redis/outage.ts';

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
  const process = startProcess(slow, [calls(...names.flatMap((name) => [name, {}])), says('Done.')], tools);
  const running = process.agent('t').run('Go');
  await allStarted.passed;
  for (const name of order) {
    gates.get(name)?.open();
    if (pace === 'one by one') await turn();
  }
  expect(await running).toMatchObject({ answer: 'Done.', durable: true });
  const ended = process.events.flatMap((event) => (event.type === 'tool_finished' ? [event.tool] : []));
  return { ended, state: (await loaded(store, 't')).state };
}

it.each(['one by one', 'at once'] as const)(
  '[E12] [S-CON-02] five results that arrive %s, in each of their 120 orders, are all there, each with its call, in the order of the calls',
  async (pace) => {
    for (const order of ordersOf(names)) {
      const { ended, state } = await endingIn(order, pace);
      expect(ended).toEqual(order);
      const results = state.history.flatMap(({ role, content, metadata }) =>
        role === 'tool' ? [[metadata?.tool_call_id, content]] : [],
      );
      expect(results).toEqual(names.map((name, index) => [`call_${index}`, `by ${name}`]));
      expect(state.history.map(({ role }) => role).slice(2)).toEqual([
        'assistant',
        ...Array(5).fill('tool'),
        'assistant',
      ]);
    }
  },
);

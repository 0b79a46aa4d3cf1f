import { randomUUID } from 'node:crypto';
import { createThreads } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { calls, says, startProcess, tool } from '../agent.ts';
import { opened, stores } from '../stores.ts';

class Point {
  readonly x = 1;
}

/** What a careless tool returns, and the result that its call has to have. */
const returned: readonly (readonly [name: string, make: () => unknown, result: RegExp])[] = [
  ['date', () => ({ placed_at: new Date(0) }), /^Error: result\.placed_at: Date;/],
  ['bigint', () => ({ order: { id: 7n } }), /^Error: result\.order\.id: BigInt;/],
  ['instance', () => [new Point()], /^Error: result\[0\]: Point;/],
  ['map', () => new Map(), /^Error: result: Map;/],
  ['nan', () => ({ a: Number.NaN }), /^Error: result\.a: NaN;/],
  ['surrogate', () => ({ text: 'bad \ud800' }), /^Error: result\.text: a string with a lone surrogate;/],
  ['hole', () => [undefined], /^Error: result\[0\]: undefined;/],
  ['nothing', () => undefined, /^null$/],
];

describe.each(stores)('on %s', (_name, openStore) => {
  const open = () => opened(openStore);
  const stateOf = async (threadId: string) => createThreads(open()).get(threadId);
  const resultsOf = async (threadId: string) =>
    (await stateOf(threadId))?.history.filter(({ role }) => role === 'tool').map(({ content }) => content as string);

  it('[D10] what JSON cannot carry is a failed result with its path, nothing is null, no tool runs twice', async () => {
    const threadId = randomUUID();
    const ran: string[] = [];
    const tools = returned.map(([name, make]) =>
      tool(name, () => {
        ran.push(name);
        return make();
      }),
    );
    const names = returned.map(([name]) => name);
    const turn = calls(...names.flatMap((name) => [name, {}]));
    const process = startProcess(open(), [turn, says('Done.'), says('Still here.')], tools);
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    const results = (await resultsOf(threadId)) ?? [];
    expect(results).toHaveLength(returned.length);
    for (const [index, [, , expected]] of returned.entries()) expect(results[index]).toMatch(expected);
    expect(await process.agent(threadId).run('And?')).toMatchObject({ answer: 'Still here.', durable: true });
    expect(ran.sort()).toEqual([...names].sort());
  });

  it('[D12] a result of 17 MB is a failed result that names the limit, its tool runs once, and the thread goes on', async () => {
    const threadId = randomUUID();
    let ran = 0;
    const huge = tool('huge', () => {
      ran += 1;
      return 'x'.repeat(17_000_000);
    });
    const turns = [calls('huge', {}, 'small', {}), says('Done.'), says('Still here.')];
    const process = startProcess(open(), turns, [huge, tool('small', () => 'small')]);
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expect(await process.agent(threadId).run('And?')).toMatchObject({ answer: 'Still here.', durable: true });
    expect(ran).toBe(1);
    expect(await resultsOf(threadId)).toEqual([
      expect.stringMatching(/^Error: the result has 170\d{5} bytes; 16000000 are allowed\.$/),
      'small',
    ]);
    expect(process.warnings.filter(({ message }) => !message.includes('compare and save'))).toEqual([]);
  });

  it('[D12] of two parallel results whose variables pass the limit together one fails, and neither runs again', async () => {
    const threadId = randomUUID();
    const ran: string[] = [];
    const remember = tool('remember', (args, { variables }) => {
      const { key } = args as { key: string };
      ran.push(key);
      variables.set(key, 'x'.repeat(600_000));
      return key;
    });
    const turn = calls('remember', { key: 'a' }, 'remember', { key: 'b' });
    const process = startProcess(open(), [turn, says('Done.'), says('Still here.')], [remember]);
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expect(await process.agent(threadId).run('And?')).toMatchObject({ answer: 'Still here.', durable: true });
    expect(ran.sort()).toEqual(['a', 'b']);
    const results = (await resultsOf(threadId)) ?? [];
    const kept = results.find((result) => !result.startsWith('Error'));
    expect(Object.keys((await stateOf(threadId))?.variables ?? {})).toEqual([kept]);
    expect(results.find((result) => result !== kept)).toMatch(
      /^Error: the variables would have 12\d{5} bytes; 1000000/,
    );
  });
});

import { createAgentFactory, createThreads, defineTool } from '@agent-state/core';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { runExample } from './run-example.ts';
import { script } from './script.ts';

afterEach(() => void vi.restoreAllMocks());

describe('the clerk of the guide about people', () => {
  const args = { account: 'ACME', amount: 500 };
  const clerk = async (checkpointer = createMemoryCheckpointer()) => {
    const paid: unknown[][] = [];
    const said: unknown[][] = [];
    vi.spyOn(console, 'log').mockImplementation((...line) => void said.push(line));
    const model = script('pay', args, 'Done.');
    const bank = { pay: async (...given: unknown[]) => paid.push(given) > 0 && 'paid' };
    await runExample('docs/people.md', '## A tool that needs approval', { model, checkpointer, bank });
    const state = await createThreads(checkpointer).get('customer-7');
    return { paid, said, results: state?.history.filter(({ role }) => role === 'tool').map(({ content }) => content) };
  };

  test('pays once it has been approved', async () => {
    const { paid, said, results } = await clerk();
    expect(paid).toEqual([['ACME', 500, expect.any(String)]]);
    expect(said).toEqual([['to approve:', 'pay', JSON.stringify(args), expect.any(String)], ['Done.']]);
    expect(results).toEqual(['paid']);
  });

  test('is told what became of a payment that nobody knows of, and does not pay again', async () => {
    const checkpointer = createMemoryCheckpointer();
    const stuck = defineTool({
      name: 'pay',
      description: 'Pays money to an account.',
      parameters: { type: 'object' },
      effect: 'once',
      onUnknown: 'pause',
      timeoutMs: 10,
      execute: () => new Promise(() => {}),
    });
    const factory = createAgentFactory({
      profiles: { clerk: { name: 'clerk', tools: ['pay'] } },
      defaultProfile: 'clerk',
      models: { main: script('pay', args, 'Done.') },
      defaultModel: 'main',
      tools: [stuck],
      checkpointer,
    });
    const before = await factory.create({ threadId: 'customer-7' }).run('Pay 500 to ACME.', { inputId: 'mail-4711' });
    expect(before).toMatchObject({ status: 'paused', calls: [{ waitsFor: 'outcome' }] });
    await factory.close();
    const { paid, said, results } = await clerk(checkpointer);
    expect(paid).toEqual([]);
    expect(said.at(-1)).toEqual(['Done.']);
    expect(results).toEqual(['The bank has paid it.']);
  });
});

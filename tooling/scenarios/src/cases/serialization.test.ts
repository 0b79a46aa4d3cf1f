import { randomUUID } from 'node:crypto';
import { createThreads } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { calls, says, startProcess, tool } from '../agent.ts';
import { opened, stores } from '../stores.ts';

const set = tool('set', (args, { variables }) => {
  for (const [key, value] of Object.entries(args as Record<string, string>)) variables.set(key, value);
});

describe.each(stores)('on %s', (_name, openStore) => {
  it('[S-SER-06] what a step does not change survives it: variables, history, steps', async () => {
    const threadId = randomUUID();
    const turns = [calls('set', { a: '1', b: '2' }), says('Set.'), calls('set', { a: '3' }), says('Set again.')];
    for (const input of ['First', 'Second']) {
      expect(await startProcess(opened(openStore), turns, [set]).agent(threadId).run(input)).toMatchObject({
        durable: true,
      });
    }
    const state = await createThreads(opened(openStore)).get(threadId);
    expect(state?.variables).toEqual({ a: '3', b: '2' });
    expect(state?.current_step).toBe(6);
    const roles = state?.history.map(({ role }) => role).join(' ');
    expect(roles).toBe('system user assistant tool assistant user assistant tool assistant');
  });

  it.each<[string, () => unknown, string]>([
    ['[S-SER-01] a BigInt', () => ({ n: 10n }), 'n'],
    ['[S-SER-01] a cycle', () => Object.assign(cycle, { self: cycle }), 'self'],
    ['[S-SER-01] a function', () => ({ call: () => 1 }), 'call'],
    ['[S-SER-02] a Date', () => ({ when: new Date(0) }), 'when'],
  ])('%s in the variables is a failed call that says where, and what was stored stays', async (_what, make, at) => {
    const threadId = randomUUID();
    const turns = [calls('set', { a: '1' }), says('Set.'), calls('spoil', {}), says('Not set.')];
    await startProcess(opened(openStore), turns, [set]).agent(threadId).run('First');
    const spoil = tool('spoil', (_args, { variables }) => variables.set('spoilt', make()));
    const second = startProcess(opened(openStore), turns, [set, spoil]);
    expect(await second.agent(threadId).run('Second')).toMatchObject({ answer: 'Not set.', durable: true });
    const state = await createThreads(opened(openStore)).get(threadId);
    expect(state?.variables).toEqual({ a: '1' });
    expect(state?.history.at(-2)?.content).toContain(`variables.spoilt.${at}`);
  });
});

const cycle: Record<string, unknown> = {};

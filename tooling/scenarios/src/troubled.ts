import type { AgentFactoryOptions, Checkpointer } from '@agent-state/core';
import { expect } from 'vitest';
import { calls, lines, says, startProcess, told, tool } from './agent.ts';
import { unhurried } from './deadlines.ts';
import { loaded, revisionsOf } from './stored.ts';

/** What happens to the store while a run is in its first tool, and in its second; each once, whoever runs the tool. */
export interface Troubles {
  readonly first: () => unknown;
  readonly second?: () => unknown;
}

type Process = ReturnType<typeof startProcess>;

/** A process whose runs meet trouble with the store that is not, or not only, an outage. */
export function troubled(
  checkpointer: Checkpointer,
  { first, second = () => {} }: Troubles,
  options: Partial<AgentFactoryOptions> = {},
): Process {
  const turns = [calls('break', {}), calls('work', {}), says('Done.'), says('Still here.')];
  const tools = [tool('break', once(first, 'broken')), tool('work', once(second, 'worked'))];
  return startProcess(checkpointer, turns, tools, { ...unhurried, ...options });
}

function once(act: () => unknown, result: string): () => Promise<string> {
  let left = 1;
  return async () => {
    if (left-- > 0) await act();
    return result;
  };
}

/** What such a run says, whatever happens to its store. */
export const wholeHistory = [
  'system: Be helpful.',
  'user: Go',
  'assistant: null',
  'tool: broken',
  'assistant: null',
  'tool: worked',
  'assistant: Done.',
];

/** Every message and every step of such a run is stored, once and in order, and then what a later run added. */
export async function expectWhole(store: Checkpointer, threadId: string, later: readonly string[] = []): Promise<void> {
  const { state } = await loaded(store, threadId);
  expect(lines(state.history)).toEqual([...wholeHistory, ...later]);
  expect(state.run).toMatchObject({ phase: 'done', owner: null, calls: [] });
  expect(await revisionsOf(store, threadId)).toHaveLength(5 + later.length / 2);
}

/** Another process takes such a run over in its first tool, and answers. */
export async function takeOver(store: Checkpointer, threadId: string): Promise<void> {
  const process = startProcess(store, [says('unused'), says('Theirs.')], [tool('break', () => 'theirs')]);
  const result = await process.agent(threadId).run('Go on', { onBusy: 'takeOver' });
  expect(result).toMatchObject({ answer: 'Theirs.', durable: true });
}

/** What a run says that was taken over. */
export const takenOverHistory = [
  'system: Be helpful.',
  'user: Go',
  'assistant: null',
  'tool: theirs',
  'user: Go on',
  'assistant: Theirs.',
];

/** Nobody was warned, and the process tells of nothing but this. */
export function expectQuiet(process: Process, events: readonly string[] = []): void {
  expect(process.warnings).toEqual([]);
  expect(told(process)).toEqual(events);
}

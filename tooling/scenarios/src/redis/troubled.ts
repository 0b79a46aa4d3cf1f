import type { AgentFactoryOptions, Checkpointer } from '@agent-state/core';
import { expect } from 'vitest';
import { calls, lines, says, startProcess, tool } from '../agent.ts';
import { loaded, revisionsOf, wholeHistory } from './outage.ts';
import { told, unhurried } from './support.ts';

/** What happens to the store while a run is in its first tool, and in its second; each once, whoever runs the tool. */
export interface Troubles {
  readonly first: () => unknown;
  readonly second?: () => unknown;
}

/** Where a thread is whose id needs no encoding. */
export const keyOf = (threadId: string): string => `agent_checkpoints:{${threadId}}`;

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

/** Every message and every step of such a run is stored, once and in order, and then what a later run added. */
export async function expectWhole(store: Checkpointer, threadId: string, later: readonly string[] = []): Promise<void> {
  const { state } = await loaded(store, threadId);
  expect(lines(state.history)).toEqual([...wholeHistory, ...later]);
  expect(state.run).toMatchObject({ phase: 'done', owner: null, calls: [] });
  expect(await revisionsOf(store, threadId)).toHaveLength(5 + later.length / 2);
}

/** Nobody was warned, and the process tells of nothing but this. */
export function expectQuiet(process: Process, events: readonly string[] = []): void {
  expect(process.warnings).toEqual([]);
  expect(told(process)).toEqual(events);
}

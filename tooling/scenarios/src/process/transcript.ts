import type { Message, StepRecord, ThreadState } from '@agent-state/core';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import type { Ledger } from './ledger.ts';

import { callsOf, type ScenarioName } from './scenarios.ts';
import { startWorld } from './world.ts';

/** What has to be the same whatever happened on the way: all but ids, times and who worked on it. */
export function transcriptOf({ history, variables, current_step, run }: ThreadState, steps: readonly StepRecord[]) {
  return {
    history: history.map(plain),
    variables: { ...variables },
    step: current_step,
    run: [run?.phase, run?.owner, run?.calls.length, run?.pending_inputs.length],
    steps: steps.map(({ step, phase, history_length }) => [step, phase, history_length]),
  };
}
export type Transcript = ReturnType<typeof transcriptOf>;

function plain({ role, content, name, metadata = {} }: Message) {
  const { tool_calls: calls, tool_call_id: callId, input_id: input, outcome } = metadata;
  return { role, content: outcome === 'unknown' ? outcome : content, name, calls, callId, input };
}

const nowhere: Ledger = { write() {}, read: () => [] };

/** The transcript of a process that nobody killed. */
export async function unharmed(scenario: ScenarioName): Promise<Transcript> {
  const threadId = 'unharmed';
  const world = startWorld(createMemoryCheckpointer(), { scenario, threadId, ledger: nowhere });
  await world.play();
  const { threads } = world;
  return transcriptOf((await threads.get(threadId)) as ThreadState, await threads.steps(threadId));
}

/** The same, but for calls of which nobody knows: the model is told so, and their variables are not set. */
export function withUnknown(whole: Transcript, scenario: ScenarioName, unknown: readonly string[]): Transcript {
  const calls = callsOf(scenario);
  let result = -1;
  const variables = Object.entries(whole.variables).filter(([name]) => !unknown.includes(name));
  const history = whole.history.map((message) => {
    if (message.role !== 'tool') return message;
    result += 1;
    return unknown.includes(calls[result] ?? '') ? { ...message, content: 'unknown' } : message;
  });
  return { ...whole, history, variables: Object.fromEntries(variables) };
}

import {
  type AgentInput,
  type Checkpointer,
  createAgentFactory,
  isAgentStateError,
  type ThreadState,
} from '@agent-state/core';
import type { Recording } from './recording/recording.ts';
import { toStored } from './recording/stored.ts';
import { createTape, type Observer, type Tape } from './tape.ts';

/** A busy machine may be slow; what is too slow for this has failed. */
const patience = { storeCallMs: 30_000, storeBudgetMs: 60_000, onStoreDown: 'throw' } as const;

/** Nobody watches. */
const unobserved: Observer = { point() {}, toolStarted() {} };

/**
 * Plays a recording to its end through an agent, on from whatever is stored of it: as its first process does, and as
 * the one that comes after a crash. A recording that does not end in an answer ends in an aborted run.
 */
export async function play(
  recording: Recording,
  checkpointer: Checkpointer,
  observer: Observer = unobserved,
): Promise<void> {
  const { id, messages, opening } = recording;
  const tape = createTape(recording, checkpointer, observer);
  const agent = agentOf(recording, checkpointer, tape);
  const history = messages.slice(0, opening).map(toStored);
  const loaded = await checkpointer.load(id);
  const stored = loaded.found ? loaded.state : undefined;
  if (stored && isOpen(stored)) {
    tape.goOn(stored);
    await untilTheEnd(tape, (signal) => agent.resume({ signal }));
  }
  for (const input of inputsOf(recording).slice(accepted(stored, opening))) {
    await untilTheEnd(tape, (signal) => agent.run(input, { history, signal }));
  }
}

function agentOf({ id, messages }: Recording, checkpointer: Checkpointer, { model, tools, onEvent }: Tape) {
  const profile = {
    name: 'recorded',
    tools: tools.map(({ name }) => name),
    maxIterations: messages.length + 1,
    maxExecutionTimeSeconds: 600,
  };
  const factory = createAgentFactory({
    ...patience,
    profiles: { recorded: profile },
    models: { recording: model },
    defaultModel: 'recording',
    tools,
    checkpointer,
    onEvent,
    // All calls of a turn at once: one that never ends must not keep another from starting.
    toolConcurrency: messages.length,
  });
  return factory.create({ profile: 'recorded', threadId: id });
}

/** The end of the recording is not a failure. */
async function untilTheEnd(tape: Tape, run: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const signal = tape.next();
  try {
    await run(signal);
  } catch (error) {
    if (!signal.aborted || !isAgentStateError(error, 'aborted')) throw error;
  }
}

function inputsOf({ messages }: Recording): AgentInput[] {
  // The cast: the reader has checked that it is text or parts.
  return messages.flatMap(({ role, content }) => (role === 'user' ? [content as AgentInput] : []));
}

/** How many inputs the stored thread has taken. */
function accepted(state: ThreadState | undefined, opening: number): number {
  if (!state) return 0;
  const users = state.history.slice(opening).filter(({ role }) => role === 'user');
  return users.length + (state.run?.pending_inputs.length ?? 0);
}

function isOpen({ run }: ThreadState): boolean {
  return run?.phase === 'think' || run?.phase === 'act';
}

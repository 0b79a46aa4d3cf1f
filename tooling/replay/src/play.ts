import {
  type AgentInput,
  type Checkpointer,
  createAgentFactory,
  isAgentStateError,
  type Logger,
  type ThreadState,
} from '@agent-state/core';
import { pinned } from './pinned.ts';
import type { Recording } from './recording/recording.ts';
import { toStored } from './recording/stored.ts';
import { createTape, type Observer, type Tape } from './tape.ts';

/** A busy machine may be slow; what is too slow for this has failed. */
const patience = { storeCallMs: 30_000, storeBudgetMs: 60_000, onStoreDown: 'throw' } as const;

/** One run an input, one for what a process left open, and some for writes of a killed process that land late. */
const spareRuns = 10;

/** Who is told what happens on the way; nobody, and the console, if left out. */
export interface Around {
  readonly observer?: Observer;
  readonly logger?: Logger | undefined;
}

const unobserved: Observer = { point() {}, toolStarted() {} };

/**
 * Plays a recording to its end through an agent, on from whatever is stored of it: as its first process does, and as
 * the one that comes after a crash. A recording that does not end in an answer ends in an aborted run.
 */
export async function play(recording: Recording, store: Checkpointer, around: Around = {}): Promise<void> {
  const { observer = unobserved, logger } = around;
  const { id, messages, opening } = recording;
  const { checkpointer, pin, moved } = pinned(store);
  const tape = createTape(recording, checkpointer, observer);
  const agent = agentOf(recording, { checkpointer, tape, logger });
  const history = messages.slice(0, opening).map(toStored);
  const inputs = inputsOf(recording);
  for (let runs = 0; runs < inputs.length + spareRuns; runs += 1) {
    const loaded = await store.load(id);
    const state = loaded.found ? loaded.state : undefined;
    const input = inputs[accepted(state, opening)];
    const open = state !== undefined && isOpen(state);
    if (!open && input === undefined) return;
    pin(loaded);
    if (open) tape.goOn(state);
    await untilTheEnd(tape, moved, (signal) =>
      open || input === undefined ? agent.resume({ signal }) : agent.run(input, { history, signal }),
    );
  }
  throw new Error('it does not come to its end: what the store gives back is not what was saved');
}

interface Parts extends Pick<Around, 'logger'> {
  readonly checkpointer: Checkpointer;
  readonly tape: Tape;
}

function agentOf({ id, messages }: Recording, { checkpointer, tape, logger }: Parts) {
  const { model, tools, onEvent } = tape;
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
    logger,
    onEvent,
    // All calls of a turn at once: one that never ends must not keep another from starting.
    toolConcurrency: messages.length,
  });
  return factory.create({ profile: 'recorded', threadId: id });
}

/** Neither is a failure: that the recording ends, and that the thread has moved, after which it is looked at again. */
async function untilTheEnd(
  tape: Tape,
  moved: () => boolean,
  run: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const signal = tape.next();
  try {
    await run(signal);
  } catch (error) {
    if (signal.aborted && isAgentStateError(error, 'aborted')) return;
    if (!moved() || !isAgentStateError(error, 'conflict')) throw error;
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

import type { AgentEvent, Checkpointer, Model, ThreadState, Tool, ToolContext } from '@agent-state/core';
import type { Recording } from './recording/recording.ts';
import { toToolCall } from './recording/stored.ts';

/** Told of what a replay does, at the moment it does it. */
export interface Observer {
  /** A point between two things, at which a process may be killed. */
  point(): void;
  /** A tool starts whose result will be the message at `place`. */
  toolStarted(place: number): void;
}

/** A recording as the model and the tools of an agent. */
export interface Tape {
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly onEvent: (event: AgentEvent) => void;
  /** For one run: aborted when the agent asks for what the recording does not have. */
  next(): AbortSignal;
  /** Goes on in the turn whose calls a stored state has open. */
  goOn(state: ThreadState): void;
}

const never = new Promise<never>(() => {});

export function createTape(recording: Recording, checkpointer: Checkpointer, observer: Observer): Tape {
  const { messages, results } = recording;
  let run = new AbortController();
  let turn = 0;
  /** How many recorded results of the turn are still to come, and whether a call waits that has none. */
  let left = 0;
  let stuck = false;

  const enter = (index: number, done: number): void => {
    turn = index;
    left = (results.get(index) ?? []).filter((result) => result !== undefined).length - done;
    stuck = false;
  };
  const endWhereItEnds = (): void => {
    if (stuck && left === 0) run.abort();
  };

  async function execute(context: ToolContext): Promise<unknown> {
    const position = await positionOf(context);
    observer.toolStarted(turn + 1 + position);
    observer.point();
    const result = results.get(turn)?.[position];
    if (result === undefined) {
      stuck = true;
      endWhereItEnds();
      return never;
    }
    observer.point();
    return messages[result]?.content;
  }

  /** By the call's id; where two calls of a turn share it, by the key under which the call is stored. */
  async function positionOf({ threadId, callId, idempotencyKey }: ToolContext): Promise<number> {
    const ids = (messages[turn]?.calls ?? []).map(({ id }) => id);
    if (ids.indexOf(callId) === ids.lastIndexOf(callId)) return ids.indexOf(callId);
    const stored = await checkpointer.peek(threadId);
    return stored.found ? (stored.head.run?.calls ?? []).findIndex(({ key }) => key === idempotencyKey) : -1;
  }

  return {
    model: {
      name: 'recording',
      async generate({ messages: { length } }) {
        observer.point();
        const message = messages[length];
        if (message?.role !== 'assistant') {
          run.abort();
          return never;
        }
        enter(length, 0);
        observer.point();
        return { content: message.content as string | null, toolCalls: message.calls.map(toToolCall) };
      },
    },
    tools: toolNames(recording).map((name) => ({
      name,
      description: `The recorded results of ${name}.`,
      parameters: { type: 'object' },
      execute: (_args, context) => execute(context),
    })),
    onEvent({ type }) {
      if (type !== 'tool_finished') return;
      left -= 1;
      endWhereItEnds();
    },
    next() {
      run = new AbortController();
      return run.signal;
    },
    goOn: ({ history, run: stored }) =>
      enter(history.length - 1, (stored?.calls ?? []).filter(({ result }) => result).length),
  };
}

function toolNames({ messages, opening }: Recording): string[] {
  return [...new Set(messages.slice(opening).flatMap(({ calls }) => calls.map(({ name }) => name)))];
}

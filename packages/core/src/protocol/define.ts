import { decodeHead, decodeLife, decodeStep, decodeThread } from '../state/decode.ts';
import { toState } from '../state/encode.ts';
import { maxPartDepth, toJson } from '../state/json.ts';
import { refusalOf } from './admit.ts';
import type { Capabilities } from './capabilities.ts';
import type { Checkpointer, CheckpointWrite, ThreadQuery } from './checkpointer.ts';
import { AgentStateError } from './errors.ts';
import { assertThreadId } from './ids.ts';
import type { Position } from './position.ts';
import { type Base, positionAfter, prepare } from './prepare.ts';
import { parseQuery, parseStepsOptions, toPage } from './query.ts';
import { createQueues } from './queues.ts';
import { remove } from './remove.ts';
import { type Runtime, systemRuntime } from './runtime.ts';
import type { CheckpointStore } from './store.ts';

/** How often an unconditional save goes round again when others write at the same time. */
const maxUnconditionalRounds = 20;

/**
 * A checkpointer over a store: the half that people call over the half that an adapter writes. It checks every
 * argument before any I/O, encodes and decodes, and turns what a store found into the errors of the protocol.
 */
export function defineCheckpointer(store: CheckpointStore, runtime: Runtime = systemRuntime): Checkpointer {
  const { name, capabilities } = store;
  const unconditional = createQueues();
  let closing: Promise<void> | undefined;

  const enter = (threadId: string): void => {
    assertThreadId(threadId);
    assertOpen();
  };
  const assertOpen = (): void => {
    if (closing) throw new AgentStateError('closed', `The ${name} checkpointer is closed.`);
  };
  const peek = async (threadId: string) => decodeHead(threadId, await store.peek(threadId));

  async function saveOn(threadId: string, write: CheckpointWrite, base: Base): Promise<Position> {
    const prepared = prepare(write, base, write.writeId ?? runtime.id(), runtime.now(), capabilities);
    const outcome = await store.save(threadId, prepared);
    if (outcome.saved) return positionAfter(prepared);
    throw refusalOf(threadId, decodeHead(threadId, outcome.found), prepared);
  }

  async function saveOnAnything(threadId: string, taken: CheckpointWrite): Promise<Position> {
    for (let round = 1; ; round += 1) {
      // All of it: what cannot be read whole is not written over.
      const base = decodeThread(threadId, await store.load(threadId));
      try {
        return await saveOn(threadId, taken, base);
      } catch (error) {
        const moved = error instanceof AgentStateError && (error.code === 'conflict' || error.code === 'deleted');
        if (!moved || round === maxUnconditionalRounds) throw error;
      }
    }
  }

  const find = async (query: ThreadQuery, capability: 'list' | 'query') => {
    assertOffered(name, capabilities, capability);
    const parsed = parseQuery(query);
    assertOpen();
    return toPage((await store.find?.(parsed)) ?? [], parsed.limit);
  };

  return Object.freeze<Checkpointer>({
    name,
    capabilities: Object.freeze({ ...capabilities }),
    async load(threadId) {
      enter(threadId);
      return decodeThread(threadId, await store.load(threadId));
    },
    async peek(threadId) {
      enter(threadId);
      return peek(threadId);
    },
    async save(threadId, write) {
      enter(threadId);
      if (write.base !== undefined) return saveOn(threadId, write, write.base);
      const taken = takenNow(write, runtime.now());
      // Nothing but their order says which of two of them is the later one.
      return unconditional.enqueue(threadId, () => saveOnAnything(threadId, taken));
    },
    async delete(threadId) {
      enter(threadId);
      await remove(
        store,
        threadId,
        async () => decodeLife(threadId, await store.peek(threadId)),
        () => runtime.id(),
      );
    },
    async steps(threadId, options = {}) {
      assertOffered(name, capabilities, 'steps');
      const parsed = parseStepsOptions(options);
      enter(threadId);
      const steps = (await store.steps?.(threadId, parsed)) ?? [];
      return steps.map((step) => decodeStep(threadId, step));
    },
    list: async (options = {}) => find(options, 'list'),
    query: async (query) => find(query, 'query'),
    reset: () => store.reset?.(),
    close() {
      closing ??= store.close();
      return closing;
    },
  });
}

/**
 * An unconditional write as of the call: it reads before it writes, and neither what the caller changes meanwhile nor
 * a value that is refused may wait for that.
 */
function takenNow(write: CheckpointWrite, now: number): CheckpointWrite {
  return {
    ...write,
    appendedFrom: 0,
    state: toState(write.state, now),
    steps: toJson(write.steps ?? [], 'steps', maxPartDepth) as unknown as NonNullable<CheckpointWrite['steps']>,
  };
}

function assertOffered(name: string, capabilities: Capabilities, capability: 'steps' | 'list' | 'query'): void {
  if (capabilities[capability]) return;
  throw new AgentStateError('unsupported', `The ${name} checkpointer does not offer ${capability}.`);
}

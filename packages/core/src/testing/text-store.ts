import { admits } from '../protocol/admit.ts';
import type { Capabilities } from '../protocol/capabilities.ts';
import type { Checkpoint } from '../protocol/checkpointer.ts';
import { compareSummaries, matches, summaryOf } from '../protocol/query.ts';
import type {
  CheckpointStore,
  Control,
  StoredAbsence,
  StoredHead,
  StoredThread,
  StoreWrite,
} from '../protocol/store.ts';
import { decodeThread } from '../state/decode.ts';

/** A thread as the text that a store would hold. A test may change any of it. */
export interface TextThread {
  control: string;
  head: string;
  variables: string;
  readonly messages: Map<number, string>;
  readonly steps: Map<number, string>;
}

export interface TextStore extends CheckpointStore {
  readonly threads: Map<string, TextThread>;
  readonly tombstones: Map<string, string>;
  /** Every write that was stored, in order. */
  readonly written: StoreWrite[];
}

const everything: Capabilities = {
  conditional: true,
  tombstones: true,
  appends: true,
  steps: true,
  list: false,
  query: false,
  durable: true,
  ttlResolutionMs: 1,
  maxStateBytes: Number.POSITIVE_INFINITY,
  maxMessageBytes: 1_000_000,
};

/** The smallest store there can be, for the tests of core itself. It keeps text, so that everything is read back. */
export function createTextStore(capabilities: Partial<Capabilities> = {}): TextStore {
  const threads = new Map<string, TextThread>();
  const tombstones = new Map<string, string>();
  const written: StoreWrite[] = [];
  const absence = (threadId: string): StoredAbsence => ({ found: false, tombstone: tombstones.get(threadId) ?? null });

  return {
    name: 'text',
    capabilities: { ...everything, ...capabilities },
    threads,
    tombstones,
    written,
    async load(threadId) {
      const thread = threads.get(threadId);
      return thread ? wholeOf(thread) : absence(threadId);
    },
    async peek(threadId) {
      const thread = threads.get(threadId);
      return thread ? headOf(thread) : absence(threadId);
    },
    async save(threadId, write) {
      const thread = threads.get(threadId);
      const found = thread ? headOf(thread) : absence(threadId);
      if (!admits(found, write)) return { saved: false, found };
      threads.set(threadId, textOf(thread, write));
      written.push(write);
      return { saved: true };
    },
    async bury(threadId, burial) {
      const thread = threads.get(threadId);
      if ((thread ? headOf(thread).control.life.born : null) !== burial.born) return false;
      if (burial.born === null && absence(threadId).tombstone !== burial.was) return false;
      threads.delete(threadId);
      tombstones.set(threadId, burial.tombstone);
      return true;
    },
    async steps(threadId, { from, limit }) {
      return [...(threads.get(threadId)?.steps.values() ?? [])].slice(from, from + limit);
    },
    async find(query) {
      const found = [...threads].flatMap(([threadId, thread]) => {
        // What is in the map is a thread, never an absence.
        const { state, revision } = decodeThread(threadId, wholeOf(thread)) as Checkpoint;
        return matches(threadId, state, query) ? [summaryOf(threadId, state, revision)] : [];
      });
      return found.sort(compareSummaries).slice(0, query.limit);
    },
    async close() {},
  };
}

function textOf(before: TextThread | undefined, write: StoreWrite): TextThread {
  const messages = new Map(write.replaces ? [] : before?.messages);
  for (const { index, text } of write.messages) messages.set(index, text);
  const steps = new Map(before?.steps);
  for (const { index, text } of write.steps) steps.set(index, text);
  return {
    control: JSON.stringify(write.control),
    head: write.head.text,
    variables: write.variables?.text ?? before?.variables ?? '',
    messages,
    steps,
  };
}

function headOf({ control, head }: TextThread): StoredHead & { readonly control: Control } {
  return { found: true, control: JSON.parse(control) as Control, head };
}

function wholeOf(thread: TextThread): StoredThread {
  const { length } = headOf(thread).control;
  const entries = [...thread.messages].sort(([a], [b]) => a - b);
  return {
    ...headOf(thread),
    variables: thread.variables,
    messages: entries.filter(([index]) => index < length).map(([, text]) => text),
    ahead: entries.filter(([index]) => index >= length).map(([index, message]) => ({ index, message })),
  };
}

import {
  admits,
  type Burial,
  type Control,
  type SaveOutcome,
  type StoredAbsence,
  type StoredHead,
  type StoredThread,
  type StoreWrite,
  type ThreadState,
} from '@agent-state/core';

/** A thread as it is stored: text, and beside it what the text says. */
export interface Stored {
  readonly control: Control;
  readonly head: string;
  readonly variables: string;
  /** By index; those from the length on are results that were stored ahead. */
  readonly messages: ReadonlyMap<number, string>;
  readonly steps: readonly string[];
  readonly state: ThreadState;
}

/** Hears what is stored, in the order in which it is. */
export interface StoreWatch<Writer> {
  saved(threadId: string, before: Stored | undefined, after: Stored, write: StoreWrite, writer: Writer): void;
  buried(threadId: string, before: Stored | undefined, burial: Burial, writer: Writer): void;
}

/** The store itself, without clients and without failures: what it says is true. */
export interface TrueStore<Writer> {
  readonly records: Map<string, Stored>;
  readonly tombstones: Map<string, string>;
  load(threadId: string): StoredThread | StoredAbsence;
  peek(threadId: string): StoredHead | StoredAbsence;
  save(threadId: string, write: StoreWrite, writer: Writer): SaveOutcome;
  bury(threadId: string, burial: Burial, writer: Writer): boolean;
  steps(threadId: string, from: number, limit: number): readonly string[];
}

/** What a store holds to; a crippled one does not. */
export interface StoreRules {
  /** Whether a save may be done on what is there. */
  readonly admit: typeof admits;
  /** Whether a deleted thread leaves a tombstone. */
  readonly buries: boolean;
}

const soundRules: StoreRules = { admit: admits, buries: true };

export function createTrueStore<Writer>(
  watch: StoreWatch<Writer>,
  { admit, buries }: StoreRules = soundRules,
): TrueStore<Writer> {
  const records = new Map<string, Stored>();
  const tombstones = new Map<string, string>();
  const absence = (threadId: string): StoredAbsence => ({ found: false, tombstone: tombstones.get(threadId) ?? null });
  const foundOf = (threadId: string) => {
    const record = records.get(threadId);
    return record ? headOf(record) : absence(threadId);
  };
  return {
    records,
    tombstones,
    load(threadId) {
      const record = records.get(threadId);
      return record ? wholeOf(record) : absence(threadId);
    },
    peek: foundOf,
    save(threadId, write, writer) {
      const found = foundOf(threadId);
      if (!admit(found, write)) return { saved: false, found };
      const before = records.get(threadId);
      const after = storedOf(before, write);
      records.set(threadId, after);
      watch.saved(threadId, before, after, write, writer);
      return { saved: true };
    },
    bury(threadId, burial, writer) {
      const before = records.get(threadId);
      if ((before?.control.life.born ?? null) !== burial.born) return false;
      if (burial.born === null && absence(threadId).tombstone !== burial.was) return false;
      records.delete(threadId);
      if (buries) tombstones.set(threadId, burial.tombstone);
      watch.buried(threadId, before, burial, writer);
      return true;
    },
    steps: (threadId, from, limit) => records.get(threadId)?.steps.slice(from, from + limit) ?? [],
  };
}

function storedOf(before: Stored | undefined, write: StoreWrite): Stored {
  const messages = new Map(write.replaces ? [] : before?.messages);
  for (const { index, text } of write.messages) messages.set(index, text);
  return {
    control: write.control,
    head: write.head.text,
    variables: write.variables?.text ?? before?.variables ?? '',
    messages,
    steps: [...(before?.steps ?? []), ...write.steps.map(({ text }) => text)],
    state: write.state,
  };
}

function headOf({ control, head }: Stored): StoredHead & { readonly control: Control } {
  return { found: true, control, head };
}

function wholeOf(record: Stored): StoredThread {
  const { control, messages, variables } = record;
  const history: string[] = [];
  for (let index = 0; index < control.length; index += 1) history.push(messages.get(index) as string);
  const ahead = [...messages].filter(([index]) => index >= control.length);
  return {
    ...headOf(record),
    variables,
    messages: history,
    ahead: ahead.map(([index, message]) => ({ index, message })),
  };
}

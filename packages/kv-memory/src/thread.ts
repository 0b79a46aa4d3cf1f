import type { Control, Encoded, JsonObject, Placed, StoredHead, StoredThread, StoreWrite } from '@agent-state/core';
import type { Kept, MemoryThread } from './data.ts';

/** The thread after a write that was admitted on `found`. */
export function written(found: MemoryThread | undefined, write: StoreWrite): MemoryThread {
  const variables = write.variables ? keep(write.variables) : found?.variables;
  if (!variables) throw new TypeError('A create without variables: core sends them with every create.');
  return {
    control: write.control,
    head: keep(write.head),
    variables,
    messages: place(write.replaces || !found ? [] : found.messages, write.messages),
    steps: place(found?.steps ?? [], write.steps),
  };
}

export function headOf({ control, head }: MemoryThread): StoredHead & { readonly control: Control } {
  return { found: true, control, head };
}

/** The thread as of now: the lists are copies, for the next save adds to the ones that are kept. */
export function wholeOf(thread: MemoryThread): StoredThread {
  const { control, variables, messages } = thread;
  return {
    ...headOf(thread),
    variables,
    messages: messages.slice(0, control.length),
    ahead: [...messages.slice(control.length).entries()].flatMap(([offset, message]) =>
      message ? [{ index: control.length + offset, message }] : [],
    ),
  };
}

function place(kept: Kept[], added: readonly Placed<JsonObject>[]): Kept[] {
  for (const entry of added) kept[entry.index] = keep(entry);
  return kept;
}

/** Without the text, which would hold everything a second time. */
function keep({ schema, value }: Encoded<JsonObject>): Kept {
  return { schema, value };
}

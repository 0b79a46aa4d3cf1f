import type { StoreWrite } from '@agent-state/core';
import type { Document, Filter } from 'mongodb';
import type { Expiry } from './expiry.ts';
import type { Facts } from './facts.ts';
import { headFields, steadyFields, type Tail, type ThreadDocument, variablesFields } from './layout.ts';
import type { Naming } from './naming.ts';
import { asArray, type Placement } from './place.ts';
import { newTools, type Plan } from './plan.ts';
import { alive } from './read.ts';

/** Only the record that the write was made for, and only as long as it lives. */
export function filterOf(threadId: string, write: StoreWrite, facts: Facts): Filter<ThreadDocument> {
  return {
    _id: { $eq: threadId },
    'control.etag': { $eq: write.expected },
    'control.length': { $eq: write.expectedLength },
    ...(facts.expires ? alive : {}),
  };
}

/** What of the document a save changes: the head, and of the rest what is new. */
export function updateOf(write: StoreWrite, plan: Plan, naming: Naming, facts: Facts, expiry: Expiry): Document {
  const { tail } = facts;
  const tools = newTools(write);
  const named = chunkNames(write, naming);
  return {
    $set: {
      ...controlFields(write),
      ...headFields(write),
      ...(steadyText(write) === facts.steady ? {} : steadyOf(write)),
      ...(write.variables ? { ...variablesFields(write.variables), 'schema.variables': write.variables.schema } : {}),
      ...tailFields(plan, naming, tail),
      ...itemFields('history', plan.messages, write.replaces || plan.messages.shelf.from !== tail.from),
      ...itemFields('steps', plan.steps, plan.steps.shelf.from !== tail.steps_from),
      ...named.$set,
      ...(write.replaces ? { tools } : {}),
      ...(expiry.thread ? { expires_at: expiry.thread } : {}),
    },
    ...(named.$push ? { $push: named.$push } : {}),
    ...(tools.length > 0 && !write.replaces ? { $addToSet: { tools: { $each: tools } } } : {}),
    ...(facts.expires && !expiry.thread ? { $unset: { expires_at: '' } } : {}),
  };
}

/** A new thread's document. */
export function documentOf(
  threadId: string,
  write: StoreWrite,
  plan: Plan,
  naming: Naming,
  expiry: Expiry,
): ThreadDocument {
  const { head, variables } = write;
  return {
    _id: threadId,
    control: write.control,
    schema: { head: head.schema, variables: variables?.schema },
    ...headFields(write),
    ...steadyFields(write),
    ...(variables ? variablesFields(variables) : {}),
    tail: tailAfter(plan, naming),
    history: asArray(plan.messages.kept, plan.messages.shelf.from),
    steps: asArray(plan.steps.kept, plan.steps.shelf.from),
    tools: newTools(write),
    ...naming.added,
    ...(expiry.thread ? { expires_at: expiry.thread } : {}),
  };
}

export function tailAfter({ messages, steps }: Plan, { until }: Naming): Tail {
  return {
    from: messages.shelf.from,
    steps_from: steps.shelf.from,
    bytes: messages.shelf.bytes,
    steps_bytes: steps.shelf.bytes,
    ...(until === undefined ? {} : { until }),
  };
}

/** What a save need not send again while it stays the same. */
function steadyOf(write: StoreWrite): Document {
  return { ...steadyFields(write), 'schema.head': write.head.schema, 'control.ttl': write.control.ttl };
}

/** The same as text, to compare by. */
export function steadyText(write: StoreWrite): string {
  return JSON.stringify(steadyOf(write));
}

/** The rest of the control stays as it is for the whole of a life. */
function controlFields({ control, replaces }: StoreWrite): Document {
  return {
    'control.etag': control.etag,
    'control.revision': control.revision,
    'control.length': control.length,
    'control.steps': control.steps,
    ...(replaces ? { 'control.generation': control.generation } : {}),
  };
}

function tailFields(plan: Plan, naming: Naming, before: Tail): Document {
  const changed = Object.entries(tailAfter(plan, naming)).filter(([key, value]) => {
    const was = before[key as keyof Tail];
    return value instanceof Date && was instanceof Date ? value.getTime() !== was.getTime() : value !== was;
  });
  return Object.fromEntries(changed.map(([key, value]) => [`tail.${key}`, value]));
}

/** Each new item at its place in the array; the whole array where it begins anew. */
function itemFields(field: 'history' | 'steps', { seals, kept, shelf }: Placement, anew: boolean): Document {
  if (seals || anew) return { [field]: asArray(kept, shelf.from) };
  return Object.fromEntries(kept.map(({ index, stored }) => [`${field}.${index - shelf.from}`, stored]));
}

/** A rewrite keeps the chunks of its steps, but none of its messages. */
function chunkNames(write: StoreWrite, { added, instead }: Naming): { $set: Document; $push?: Document } {
  const $set: Document = {};
  const $push: Document = {};
  for (const field of ['chunks', 'step_chunks'] as const) {
    const before = field === 'chunks' && write.replaces ? [] : instead?.[field];
    if (before) $set[field] = [...before, ...added[field]];
    else if (added[field].length > 0) $push[field] = { $each: added[field] };
  }
  return Object.keys($push).length > 0 ? { $set, $push } : { $set };
}

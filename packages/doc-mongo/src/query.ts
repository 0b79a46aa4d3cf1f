import { layoutVersion, type RunPhase, type StoreQuery } from '@agent-state/core';
import type { Document } from 'mongodb';
import { isCarriableKey } from './bson.ts';
import { toolKey } from './plan.ts';
import { alive } from './read.ts';

/** Later first; of the same instant by id. The index `listing` has this order. */
export const order = { updated: -1, _id: 1 } as const;

export const summaryFields = {
  agent_profile: 1,
  current_step: 1,
  updated_at: 1,
  'run.phase': 1,
  'run.pause.wake_at': 1,
  'control.revision': 1,
  'control.length': 1,
} as const;

/** Everything but the text, on the thread's document alone. Values are literals: `$eq` takes nothing for an operator. */
export function headFilter(query: StoreQuery): Document {
  return { 'control.layout': layoutVersion, $and: [alive, ...conditions(query)] };
}

function* conditions(query: StoreQuery): Generator<Document> {
  yield { updated: { $type: 'date' } };
  if (query.after) yield* behind(query.after);
  if (query.updatedFrom !== undefined) yield { updated: { $gte: new Date(query.updatedFrom) } };
  if (query.updatedBefore !== undefined) yield { updated: { $lt: new Date(query.updatedBefore) } };
  if (query.phase !== undefined) yield { 'run.phase': { $in: storedPhases(query.phase) } };
  if (query.dueAt !== undefined) yield { 'run.phase': { $eq: 'paused' }, 'run.pause.wake_at': { $lte: query.dueAt } };
  if (query.agentProfile !== undefined) yield { agent_profile: { $eq: query.agentProfile } };
  if (query.toolName !== undefined) yield { tools: { $eq: toolKey(query.toolName) } };
  for (const [key, value] of Object.entries(query.variables ?? {})) yield* variableIs(key, value);
}

/** No phase is stored where no agent has run. */
function storedPhases(phase: RunPhase): (RunPhase | null)[] {
  return phase === 'idle' ? ['idle', null] : [phase];
}

function* behind({ updatedAt, threadId }: NonNullable<StoreQuery['after']>): Generator<Document> {
  const updated = new Date(updatedAt);
  yield { updated: { $lte: updated } };
  yield { $or: [{ updated: { $lt: updated } }, { _id: { $gt: threadId } }] };
}

/** By expression, for a path would take `a.b` for two keys, and a null for a key that is missing. */
function* variableIs(key: string, value: unknown): Generator<Document> {
  if (!isCarriableKey(key)) {
    yield { variables_text: { $type: 'string' } };
    return;
  }
  const stored = { $getField: { field: { $literal: key }, input: '$variables' } };
  yield { $expr: { $eq: [stored, { $literal: value }] } };
  // The same for a key that is a plain word, such that an index of the collection's owner can be used.
  if (/^[A-Za-z_]\w*$/.test(key) && value !== null) yield { [`variables.${key}`]: { $eq: value } };
}

/** Whether the thread's document cannot decide it: the variables are there as text alone. */
export function asksForOddKeys({ variables = {} }: StoreQuery): boolean {
  return !Object.keys(variables).every(isCarriableKey);
}

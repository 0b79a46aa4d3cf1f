import { createHash } from 'node:crypto';
import { type StoreWrite, toolNames } from '@agent-state/core';
import { type Item, toStored } from './bson.ts';
import type { Tail } from './layout.ts';
import type { TailBounds } from './options.ts';
import { type Placement, place } from './place.ts';

/** Where everything of a save goes. */
export interface Plan {
  readonly messages: Placement;
  readonly steps: Placement;
}

export const emptyTail: Tail = { from: 0, steps_from: 0, bytes: 0, steps_bytes: 0 };

/** What a document holds at most, less the variables (1 MB, as text and for queries), the names of chunks, and slack. */
const roomBytes = 16_777_216 - 4_000_000;

export function planOf(write: StoreWrite, tail: Tail, bounds: TailBounds): Plan {
  const history = write.replaces ? { from: 0, bytes: 0 } : { from: tail.from, bytes: tail.bytes };
  const steps = { from: tail.steps_from, bytes: tail.steps_bytes };
  const { messages: forMessages, steps: forSteps } = fitting(bounds, write);
  return {
    messages: place(history, write.control.length, itemsOf(write.messages), forMessages),
    steps: place(steps, write.control.steps, itemsOf(write.steps), forSteps),
  };
}

/** The bounds, tightened where a large head leaves less room; a step record is small beside its messages. */
function fitting(bounds: TailBounds, { head }: StoreWrite): { messages: TailBounds; steps: TailBounds } {
  const room = Math.max(0, roomBytes - Buffer.byteLength(head.text));
  return {
    messages: { ...bounds, bytes: Math.min(bounds.bytes, (room * 3) / 4) },
    steps: { ...bounds, bytes: Math.min(bounds.bytes, room) / 4 },
  };
}

function itemsOf(placed: StoreWrite['messages']): Item[] {
  return placed.map((encoded) => ({ index: encoded.index, ...toStored(encoded) })).sort((a, b) => a.index - b.index);
}

/** The tools of what this save adds to the history, as {@link toolKey}s. */
export function newTools({ state, replaces, expectedLength }: StoreWrite): string[] {
  const added = state.history.slice(replaces ? 0 : expectedLength);
  return [...toolNames({ history: added })].map(toolKey);
}

/** A tool's name as threads are found by it. A model can make up a name of any length; a long one is its hash. */
export function toolKey(name: string): string {
  return Buffer.byteLength(name) <= 200 ? name : `\n${createHash('sha256').update(name).digest('base64url')}`;
}

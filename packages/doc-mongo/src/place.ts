import type { Item } from './bson.ts';
import type { TailBounds } from './options.ts';

/** How much of one kind (messages or steps) lies in the thread's document, and from which index on. */
export interface Shelf {
  readonly from: number;
  readonly bytes: number;
}

/** Where a save puts the new items of one kind. */
export interface Placement {
  /** Whether what lies in the thread's document goes into a chunk first. */
  readonly seals: boolean;
  /** New items that go into chunks of their own: more than the document should hold. */
  readonly loose: readonly (readonly Item[])[];
  /** New items that go into the thread's document. */
  readonly kept: readonly Item[];
  readonly shelf: Shelf;
}

/**
 * Decides, before anything is written, so that the thread's document never outgrows its bounds. `length` is how many
 * there are after the save; items from there on are ahead of their turn, and everything before is stored with it.
 */
export function place(shelf: Shelf, length: number, items: readonly Item[], bounds: TailBounds): Placement {
  const bytes = items.reduce((total, item) => total + item.bytes, 0);
  const ahead = items.filter(({ index }) => index >= length).length;
  if (length - shelf.from + ahead <= bounds.messages && shelf.bytes + bytes <= bounds.bytes) {
    return { seals: false, loose: [], kept: items, shelf: { from: shelf.from, bytes: shelf.bytes + bytes } };
  }
  const seals = shelf.bytes > 0;
  if (items.length <= bounds.messages && bytes <= bounds.bytes) {
    return { seals, loose: [], kept: items, shelf: { from: Math.min(length, items[0]?.index ?? length), bytes } };
  }
  return { seals, loose: groups(items, bounds), kept: [], shelf: { from: length, bytes: 0 } };
}

/** Runs of items, none past the bounds; one that is larger than they are stands alone. */
function groups(items: readonly Item[], bounds: TailBounds): Item[][] {
  const result: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const current = result.at(-1);
    room -= item.bytes;
    if (current && current.length < bounds.messages && room >= 0) current.push(item);
    else {
      result.push([item]);
      room = bounds.bytes - item.bytes;
    }
  }
  return result;
}

/** Items as an array from `from` on; null where there is none. */
export function asArray(items: readonly Item[], from: number): (Item['stored'] | null)[] {
  const array: (Item['stored'] | null)[] = [];
  for (const { index, stored } of items) {
    while (array.length < index - from) array.push(null);
    array.push(stored);
  }
  return array;
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asArray, place } from './place.ts';

const item = (index: number, bytes = 10) => ({ index, bytes, stored: `1{"n":${index}}` });
const bounds = { messages: 4, bytes: 100 };

describe('where new messages go', () => {
  test('into the document, as long as they fit', () => {
    expect(place({ from: 0, bytes: 20 }, 3, [item(2)], bounds)).toEqual({
      seals: false,
      loose: [],
      kept: [item(2)],
      shelf: { from: 0, bytes: 30 },
    });
  });

  test('into an emptied document, when there would be too many messages', () => {
    const placed = place({ from: 0, bytes: 40 }, 5, [item(4)], bounds);
    expect(placed).toMatchObject({ seals: true, kept: [item(4)], shelf: { from: 4, bytes: 10 } });
  });

  test('into an emptied document, when there would be too many bytes', () => {
    const placed = place({ from: 0, bytes: 95 }, 2, [item(1)], bounds);
    expect(placed).toMatchObject({ seals: true, kept: [item(1)], shelf: { from: 1, bytes: 10 } });
  });

  test('into chunks of their own, when they are more than a document should hold', () => {
    const items = [item(2, 60), item(3, 60), item(4, 500), item(5, 30)];
    const placed = place({ from: 0, bytes: 20 }, 6, items, bounds);
    expect(placed).toMatchObject({ seals: true, kept: [], shelf: { from: 6, bytes: 0 } });
    expect(placed.loose).toEqual([[item(2, 60)], [item(3, 60)], [item(4, 500)], [item(5, 30)]]);
  });

  test('an empty document is not sealed', () => {
    expect(place({ from: 6, bytes: 0 }, 7, [item(6, 500)], bounds).seals).toBe(false);
  });

  test('a result ahead of its turn never lies below where the document begins', () => {
    // Call 2 of 3 is done (index 6), call 0 and 1 are not: their messages still come.
    const placed = place({ from: 1, bytes: 90 }, 4, [item(6, 30)], bounds);
    expect(placed).toMatchObject({ seals: true, kept: [item(6, 30)], shelf: { from: 4 } });
    expect(asArray(placed.kept, placed.shelf.from)).toEqual([null, null, item(6).stored]);
  });

  test('whatever comes, the document stays within its bounds and no message is lost', () => {
    const sizes = fc.array(fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 6 }), { maxLength: 30 });
    fc.assert(
      fc.property(sizes, (saves) => {
        let shelf = { from: 0, bytes: 0 };
        let inDocument: number[] = [];
        const inChunks: number[] = [];
        let length = 0;
        for (const save of saves) {
          const items = save.map((bytes, offset) => item(length + offset, bytes));
          length += items.length;
          const placed = place(shelf, length, items, bounds);
          if (placed.seals) inChunks.push(...inDocument.splice(0));
          inChunks.push(...placed.loose.flat().map(({ index }) => index));
          inDocument = [...inDocument, ...placed.kept.map(({ index }) => index)];
          shelf = placed.shelf;
          expect(shelf.bytes).toBeLessThanOrEqual(bounds.bytes);
          expect(inDocument.length).toBeLessThanOrEqual(bounds.messages);
          expect(inDocument.every((index) => index >= shelf.from)).toBe(true);
        }
        expect([...inChunks, ...inDocument]).toEqual(Array.from({ length }, (_, index) => index));
      }),
    );
  });
});

import { expect, test } from 'vitest';
import { countRepeated } from './ledger.ts';

test('a tool is repeated where its result was in the history, or stored ahead of its turn', () => {
  const before = [{ started: 3 }, { saved: 4, ahead: [] }, { started: 5 }, { saved: 5, ahead: [6] }];
  expect(countRepeated(before, [{ started: 3 }, { started: 6 }])).toBe(2);
});

test('a tool whose result was not saved may run again', () => {
  expect(countRepeated([{ started: 3 }, { saved: 3, ahead: [] }], [{ started: 3 }])).toBe(0);
  expect(countRepeated([{ started: 3 }], [{ started: 3 }])).toBe(0);
});

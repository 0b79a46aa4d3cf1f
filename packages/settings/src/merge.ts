import { isTable, own, type Table } from './table.ts';

/** `over` laid on `base`: tables merge, whatever their depth; everything else, lists included, replaces. */
export function mergeTables(base: Table, over: Table): Table {
  const merged = new Map<string, unknown>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const before = own(base, key);
    merged.set(key, isTable(value) && isTable(before) ? mergeTables(before, value) : value);
  }
  return Object.fromEntries(merged);
}

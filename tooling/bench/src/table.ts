import type { Cost } from './cost-of.ts';

const columns = [
  ['store', ({ store }) => store],
  ['calls a save', ({ callsPerSave }) => String(callsPerSave)],
  ['calls a load', ({ callsPerLoad }) => String(callsPerLoad)],
  ['bytes at step 20', ({ bytesAtStep20 }) => grouped(bytesAtStep20)],
  ['at step 400', ({ bytesAtStep400 }) => grouped(bytesAtStep400)],
  ['bytes sent', ({ bytesSent }) => grouped(bytesSent)],
  ['bytes kept', ({ bytesKept }) => grouped(bytesKept)],
] as const satisfies readonly (readonly [string, (cost: Cost) => string])[];

const widths = columns.map(([title], index) => (index === 0 ? 'redis-cluster'.length : Math.max(title.length, 13)));

export const heading = row(columns.map(([title]) => title));

export const lineOf = (cost: Cost): string => row(columns.map(([, show]) => show(cost)));

function row(cells: readonly string[]): string {
  return cells
    .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
    .join('  ');
}

function grouped(number: number | null): string {
  return number === null ? '–' : number.toLocaleString('en-US');
}

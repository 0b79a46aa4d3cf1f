import type { Report } from './simulate.ts';
import type { Stats } from './stats.ts';

const labels: readonly (readonly [keyof Stats, string])[] = [
  ['crashes', 'crashes'],
  ['freezes', 'freezes'],
  ['unknown', 'unknown outcomes'],
  ['takenOver', 'take-overs'],
  ['forks', 'forks'],
  ['decisions', 'decisions'],
  ['cancels', 'cancels'],
  ['pauses', 'pauses'],
  ['deletes', 'deletes'],
  ['rewrites', 'rewrites'],
  ['tools', 'tool starts'],
  ['saves', 'saves'],
];

/** What the worlds went through, in a line. */
export function describeStats(stats: Stats): string {
  return labels.map(([key, label]) => `${stats[key].toLocaleString('en')} ${label}`).join(', ');
}

/** What is broken in a seed, and how to see it again. */
export function describeBroken({ seed, mode, broken }: Report): string {
  const lines = broken.slice(0, 3).map(({ rule, what, at }) => `  ${rule} at ${at.toFixed(0)} ms: ${what}`);
  return [`seed ${seed} (${mode}) is broken:`, ...lines, `  npm run simulate -- ${flagsOf(seed, mode)} --trace`].join(
    '\n',
  );
}

const flagsOf = (seed: number, mode: string): string => `--seed ${seed} --mode ${mode}`;

import * as core from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { modes } from '../src/modes.ts';
import { simulate } from '../src/simulate.ts';

/** So many worlds of each mode; the command goes through thousands. */
const worlds = 50;

/** On a busy machine they take their time. */
const timeout = 120_000;

describe('the agents in worlds that crash, freeze and lose things', () => {
  it.each(modes)('break no rule in the mode %s', { timeout }, async (mode) => {
    const broken = [];
    for (let seed = 1; seed <= worlds; seed += 1) {
      const report = await simulate(core, seed, { mode });
      if (report.broken.length > 0) broken.push({ seed, broken: report.broken });
    }
    expect(broken).toEqual([]);
  });

  it('a seed gives the same trace each time', async () => {
    const traced = async (seed: number) => {
      const lines: string[] = [];
      await simulate(core, seed, { mode: 'base', trace: (line) => lines.push(line) });
      return lines;
    };
    for (const seed of [8, 13, 21]) expect(await traced(seed)).toEqual(await traced(seed));
  });
});

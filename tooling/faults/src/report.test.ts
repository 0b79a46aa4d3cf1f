import { describe, expect, test } from 'vitest';
import { failure } from './case.ts';
import { reportOn } from './report.ts';
import { row } from './row.ts';
import type { Result } from './verdict.ts';
import { unknownIds } from './verdict.ts';

const ran = (title: string, state: Result['state'] = 'passed'): Result => ({ title, state, ms: 10.4 });
const rowOf = (id: string) => row(id, 'it breaks', 'redis');
const frozen = row('B14', 'it is frozen', 'redis', 'process');

describe('a row', () => {
  test('holds where all of its tests passed', () => {
    const { lines, allHold } = reportOn([frozen], [ran('[B14] a'), ran('group [B2] [B14] b'), ran('[B1] c', 'failed')]);
    expect(lines).toEqual([
      'B14       holds    (real redis, real processes)  it is frozen  2 tests, 21 ms',
      '1 of 1 hold',
    ]);
    expect(allHold).toBe(true);
  });

  test.each([
    ['fails', 'one of them failed', [ran('[B1] a'), ran('[B1] b', 'failed'), ran('[B1] c', 'skipped')]],
    ['skipped', 'one of them was skipped', [ran('[B1] a'), ran('[B1] b', 'skipped')]],
    ['no test', 'none names it', [ran('[B11] a')]],
  ])('does not hold, but %s, where %s', (state, _, results) => {
    const { lines, allHold } = reportOn([rowOf('B1'), rowOf('B2')], [...results, ran('[B2] d')]);
    expect(lines[0]).toContain(`B1        ${state}`);
    expect([lines.at(-1), allHold]).toEqual(['1 of 2 hold', false]);
  });
});

describe('a case that does not apply', () => {
  const one = failure('S-OBS-05', 'a counter counts twice', 'there are no counters');

  test('holds for its reason', () => {
    expect(reportOn([one], []).lines[0]).toMatch(/holds.+does not apply: there are no counters/);
  });
  test('has to hold where a test names it nevertheless', () => {
    expect(reportOn([one], [ran('[S-OBS-05] x', 'failed')]).allHold).toBe(false);
  });
});

test('an id that is in no list is named', () => {
  expect(unknownIds(['[B1] a', '[B99] b', '[S-XXX-01] c', '[B99] d'], [rowOf('B1')])).toEqual(['B99', 'S-XXX-01']);
});

import { describe, expect, it } from 'vitest';
import { createExpiringMap } from './expiring-map.ts';

describe('an expiring map', () => {
  it('holds an entry until its time, and not at it', () => {
    const map = createExpiringMap<string>();
    map.set('a', 'value', 1_000, 0);
    expect(map.get('a', 999)).toBe('value');
    expect(map.get('a', 1_000)).toBeUndefined();
    expect(map.size()).toBe(0);
  });

  it('holds an entry without a time for ever', () => {
    const map = createExpiringMap<string>();
    map.set('a', 'value', null, 0);
    expect(map.get('a', Number.MAX_SAFE_INTEGER)).toBe('value');
  });

  it('[S-TTL-03] takes an expiry past the 24.8 days that a timer can hold', () => {
    const thirtyDays = 30 * 24 * 3_600_000;
    const map = createExpiringMap<string>();
    map.set('a', 'value', thirtyDays, 0);
    expect(map.get('a', thirtyDays - 1)).toBe('value');
    expect(map.get('a', thirtyDays)).toBeUndefined();
  });

  it('lists the living only', () => {
    const map = createExpiringMap<string>();
    map.set('old', 'x', 10, 0);
    map.set('new', 'y', 20, 0);
    expect([...map.entries(15)]).toEqual([['new', 'y']]);
  });

  it('does not grow with entries that expire and that nobody reads again', () => {
    const map = createExpiringMap<number>();
    for (let now = 0; now < 10_000; now += 1) map.set(`thread-${now}`, now, now + 100, now);
    expect(map.size()).toBeLessThan(400);
  });
});

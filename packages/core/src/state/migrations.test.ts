import { describe, expect, it } from 'vitest';
import type { JsonObject } from './json.ts';
import { type Migration, migrate, type StoredPart } from './migrations.ts';

const mark = (name: string) => (value: JsonObject) => ({
  ...value,
  steps: [...((value.steps as string[]) ?? []), name],
});
const renames = (value: JsonObject): JsonObject => {
  const { text, ...rest } = value;
  return { ...rest, content: text ?? null };
};

/** Two releases that have not been: one renames a field of messages, the next marks everything. */
const fictitious: Record<number, Migration> = {
  1: { head: mark('1'), variables: mark('1'), message: renames, step: mark('1') },
  2: { head: mark('2'), variables: mark('2'), message: mark('2'), step: mark('2') },
};

describe('a migration', () => {
  it('[D3] leads each part by its own schema to the current one, step by step', () => {
    const migrated = (part: StoredPart, schema: number) => migrate(part, {}, schema, fictitious, 3);
    expect(migrated('head', 1)).toEqual({ steps: ['1', '2'] });
    expect(migrated('variables', 2)).toEqual({ steps: ['2'] });
    expect(migrated('step', 3)).toEqual({});
  });

  it('takes an old message under a new head: each message has its own schema', () => {
    const old = { role: 'user', text: 'hi' };
    const young = { role: 'user', content: 'hi' };
    expect(migrate('message', old, 1, fictitious, 2)).toEqual(young);
    expect(migrate('message', young, 2, fictitious, 2)).toBe(young);
  });

  it('[D3] leaves what is stored as it is', () => {
    const old = Object.freeze({ role: 'user', text: 'hi' });
    migrate('message', old, 1, fictitious, 3);
    expect(old).toEqual({ role: 'user', text: 'hi' });
  });

  it('of a newer schema is refused as that, of one that never was as corrupt', () => {
    expect(() => migrate('head', {}, 4, fictitious, 3)).toThrow(expect.objectContaining({ code: 'schema_too_new' }));
    for (const schema of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => migrate('head', {}, schema, fictitious, 3)).toThrow(expect.objectContaining({ code: 'corrupt' }));
    }
  });

  it('there is none yet: schema 1 is the first', () => {
    const value = {};
    expect(migrate('head', value, 1)).toBe(value);
  });
});

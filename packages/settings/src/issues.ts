import * as v from 'valibot';
import type { Fault } from './faults.ts';
import { kindOf, type Path, type Table, valueAt } from './table.ts';

/** Every fault of a table by its schema. Says what was expected and what kind of value is there, never the value. */
export function issuesOf(schema: v.GenericSchema, table: Table, at: Path): Fault[] {
  const outcome = v.safeParse(schema, table, { abortPipeEarly: true });
  return outcome.success ? [] : outcome.issues.map((issue) => faultOf(issue, table, at));
}

function faultOf(issue: v.BaseIssue<unknown>, table: Table, at: Path): Fault {
  const inner = (issue.path ?? []).map(({ key }) => key as string | number);
  const value = valueAt(table, inner);
  if (value === undefined) return { path: [...at, ...inner], says: 'missing.' };
  const [expected, ...hint] = issue.message.split('; ');
  return {
    path: [...at, ...inner],
    says: `${[`expected ${expected}, got ${gotOf(value)}`, ...hint].join('; ')}${ending(hint)}`,
  };
}

function ending(hint: readonly string[]): string {
  return hint.length > 0 ? '' : '.';
}

function gotOf(value: unknown): string {
  if (value === '') return 'an empty string';
  return typeof value === 'string' || typeof value === 'number' ? `another ${typeof value}` : kindOf(value);
}

import { AgentStateError } from '../protocol/errors.ts';
import type { JsonObject } from './json.ts';
import { schemaVersion } from './schema.ts';

/** What a release changes in what is stored, from the version before it. Pure: stored data is never changed in place. */
export interface Migration {
  head(head: JsonObject): JsonObject;
  variables(variables: JsonObject): JsonObject;
  message(message: JsonObject): JsonObject;
  step(step: JsonObject): JsonObject;
}

export type StoredPart = keyof Migration;

/** `migrations[n]` leads from schema n to n + 1. The first release is 1, so there is none yet. */
const migrations: Readonly<Record<number, Migration>> = {};

/**
 * A stored part in the current schema. Each part carries the schema it was written in and is migrated by that, for a
 * new head appends to old messages. A newer one is refused: this release cannot read it, and so never writes over it.
 */
export function migrate(
  part: StoredPart,
  value: JsonObject,
  schema: number,
  steps: Readonly<Record<number, Migration>> = migrations,
  current: number = schemaVersion,
): JsonObject {
  if (!Number.isSafeInteger(schema)) throw new AgentStateError('corrupt', 'What is stored does not say its schema.');
  if (schema > current) {
    throw new AgentStateError(
      'schema_too_new',
      `The thread was written in schema ${schema}; this release reads up to ${current}. Upgrade to go on; nothing was changed.`,
    );
  }
  let result = value;
  for (let from = schema; from < current; from += 1) {
    const step = steps[from];
    if (!step) throw new AgentStateError('corrupt', `Schema ${from} was never released.`);
    result = step[part](result);
  }
  return result;
}

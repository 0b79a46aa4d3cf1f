import * as v from 'valibot';
import { nearest } from './suggestions.ts';
import { isTable, type Table } from './table.ts';

/** 100 years: what is longer is a slip of the unit, and past some stores' dates. */
const maxSeconds = 3_155_760_000;

const flag = v.message(v.boolean(), 'true or false');
const text = v.message(v.string(), 'a string');
const words = v.message(v.pipe(v.string(), v.nonEmpty()), 'a string that is not empty');
const table = v.message(v.custom<Table>(isTable), 'a table');
const count = v.message(v.pipe(v.number(), v.safeInteger(), v.minValue(1)), 'a whole number, 1 or more');
const wholeSeconds = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxSeconds));
const seconds = v.message(wholeSeconds, `a whole number of seconds, 1 to ${maxSeconds}`);
const lifetime = v.message(
  v.union([wholeSeconds, v.literal('never')]),
  `a whole number of seconds, 1 to ${maxSeconds}, or "never"`,
);
const someSeconds = v.message(
  v.pipe(v.number(), v.finite(), v.gtValue(0), v.maxValue(maxSeconds)),
  'a number of seconds above 0',
);
const toolNames = v.message(v.array(words), 'a list of tool names');

function oneOf<const T extends readonly string[]>(options: T) {
  const expected = `one of ${options.map((option) => `"${option}"`).join(', ')}`;
  return v.picklist(options, ({ input }) => {
    const meant = typeof input === 'string' ? nearest(input, options) : undefined;
    return meant === undefined ? expected : `${expected}; did you mean "${meant}"?`;
  });
}

const wrappers = v.message(v.array(table), 'a list of tables, [[….wrappers]]');

export const agentsSchema = v.object({
  enabled: v.optional(flag, true),
  default_profile: v.optional(words),
  default_connection_name: v.optional(words),
  profiles: v.optional(table),
  persistence: v.optional(table),
});

export const profilesSchema = v.object({ connections: v.optional(table) });

export const profileSchema = v.object({
  enabled: v.optional(flag, true),
  name: v.optional(words),
  description: v.optional(text),
  system_prompt: v.optional(text),
  connection_name: v.optional(words),
  max_iterations: v.optional(count),
  max_execution_time_seconds: v.optional(someSeconds),
  tools: v.optional(toolNames),
});

export const persistenceSchema = v.object({
  enabled: v.optional(flag, true),
  strategy: v.optional(oneOf(['kv_store', 'document']), 'kv_store'),
  connection_name: v.optional(words),
  namespace: v.optional(words, 'agent_checkpoints'),
  ttl_seconds: v.optional(lifetime),
  paused_ttl_seconds: v.optional(lifetime),
  on_busy: v.optional(oneOf(['wait', 'take_over', 'throw'])),
  on_store_down: v.optional(oneOf(['volatile', 'wait', 'throw'])),
  on_vanished: v.optional(oneOf(['restore', 'stop'])),
  heartbeat_seconds: v.optional(someSeconds),
  busy_wait_seconds: v.optional(someSeconds),
});

export const llmsSchema = v.object({ default_connection_name: v.optional(words), connections: v.optional(table) });

export const llmConnectionSchema = v.object({
  enabled: v.optional(flag, true),
  backend: v.optional(words),
  default_model: v.optional(words),
  timeout: v.optional(someSeconds),
  provider: v.optional(table, {}),
  wrappers: v.optional(wrappers, []),
});

/** The group's own keys; every other key of it is a connection. */
export const groupSchema = v.object({ default_connection_name: v.optional(words), connections: v.optional(table) });

export const documentConnectionSchema = v.object({
  enabled: v.optional(flag, true),
  backend: v.optional(words),
  provider: v.optional(table, {}),
  fallback: v.optional(table),
});

export const kvConnectionSchema = v.object({
  ...documentConnectionSchema.entries,
  namespace: v.optional(words),
  wrappers: v.optional(wrappers, []),
});

export const wrapperSchema = v.object({
  name: words,
  enabled: v.optional(flag, true),
  config: v.optional(table, {}),
});
export const defaultTtlSchema = v.object({ default_ttl_seconds: seconds });
export const keyResolverSchema = v.object({
  static_prefix: v.optional(words),
  tenant: v.optional(words),
  tenant_required: v.optional(flag),
  namespace: v.optional(words),
});

import type { Checkpointer } from './checkpointer.ts';
import { AgentStateError } from './errors.ts';

const parts: Readonly<Record<keyof Checkpointer, 'string' | 'object' | 'function'>> = {
  name: 'string',
  capabilities: 'object',
  load: 'function',
  peek: 'function',
  save: 'function',
  delete: 'function',
  steps: 'function',
  list: 'function',
  query: 'function',
  reset: 'function',
  close: 'function',
};

/** Throws `configuration` for what is no checkpointer: it would fail with the first thread, as an outage does. */
export function assertCheckpointer(value: unknown): asserts value is Checkpointer {
  const fault = faultOf(value);
  if (fault) throw new AgentStateError('configuration', `The checkpointer ${fault}.`, { path: 'checkpointer' });
}

function faultOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'is none; a package of an adapter makes one';
  if ('then' in value) return 'is a promise: await it';
  const given = value as Readonly<Record<string, unknown>>;
  const missing = Object.entries(parts).find(([name, type]) => typeof given[name] !== type);
  return missing && `is none: it has no ${missing[0]}`;
}

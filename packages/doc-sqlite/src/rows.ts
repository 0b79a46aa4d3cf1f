import { type Control, type StoredHead, type StoredThread, type StoreWrite, wakeAtOf } from '@agent-state/core';
import type { SqliteValue } from './database.ts';

/** The columns of a head row that every save sets. */
export const headColumns = [
  'layout',
  'etag',
  'revision',
  'born',
  'after',
  'generation',
  'length',
  'steps',
  'ttl_ms',
  'paused_ttl_ms',
  'expires_at',
  'updated_ms',
  'updated_at',
  'agent_profile',
  'phase',
  'wake_at',
  'current_step',
  'head',
] as const;

type Row = Readonly<Record<string, unknown>>;

/** The values of {@link headColumns}, in their order. */
export function headValues({ control, head, state, expiresInMs }: StoreWrite, now: number): SqliteValue[] {
  const { layout, etag, revision, life, generation, length, steps, ttl } = control;
  return [
    layout,
    etag,
    revision,
    life.born,
    life.after,
    generation,
    length,
    steps,
    ttl.ttlMs,
    ttl.pausedTtlMs,
    expiresInMs === null ? null : now + expiresInMs,
    Date.parse(state.updated_at),
    state.updated_at,
    state.agent_profile,
    state.run?.phase ?? 'idle',
    wakeAtOf(state) ?? null,
    state.current_step,
    head.text,
  ];
}

export function toHead(row: Row): StoredHead & { readonly control: Control } {
  return { found: true, control: toControl(row), head: row.head as string };
}

/** A head row with the thread's message rows, which are in order of their index. */
export function toThread(row: Row, messages: readonly Row[]): StoredThread & { readonly control: Control } {
  const head = toHead(row);
  const placed = messages.map(({ idx, text }) => ({ index: Number(idx), message: text as string }));
  return {
    ...head,
    variables: row.variables as string,
    messages: placed.filter(({ index }) => index < head.control.length).map(({ message }) => message),
    ahead: placed.filter(({ index }) => index >= head.control.length),
  };
}

/** Numbers may come as BigInt from a given handle, hence `Number`. */
function toControl(row: Row): Control {
  return {
    layout: Number(row.layout),
    etag: row.etag as string,
    revision: Number(row.revision),
    life: { born: row.born as string, after: row.after as string | null },
    generation: Number(row.generation),
    length: Number(row.length),
    steps: Number(row.steps),
    ttl: { ttlMs: orNull(row.ttl_ms), pausedTtlMs: orNull(row.paused_ttl_ms) },
  };
}

function orNull(value: unknown): number | null {
  return value === null ? null : Number(value);
}

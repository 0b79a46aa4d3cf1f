import type { Checkpointer } from './checkpointer.ts';

/** A store connection as a settings file describes it. */
export interface AdapterConnection {
  /** The connection's name, for messages. */
  readonly name: string;
  /** The `provider` table as it stands, secrets resolved: `uri`, `url`, `database_name` … Each adapter checks its own. */
  readonly provider: Readonly<Record<string, unknown>>;
  /** Key prefix, collection or table set. */
  readonly namespace: string;
}

/**
 * What an adapter package exports so that a settings file can name its backend. The application hands over the ones
 * it installed; nothing is imported by name.
 */
export interface CheckpointerAdapter {
  /** The values of `backend` in a settings file that mean this adapter. */
  readonly backends: readonly string[];
  /** Which `strategy` of a settings file it serves. */
  readonly strategy: 'kv_store' | 'document';
  /** The keys that its `provider` table may have; others are refused with the nearest of these. Left out: any. */
  readonly providerKeys?: readonly string[];
  connect(connection: AdapterConnection): Checkpointer;
}

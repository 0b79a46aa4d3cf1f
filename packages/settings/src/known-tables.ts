import type * as v from 'valibot';
import {
  agentsSchema,
  documentConnectionSchema,
  groupSchema,
  kvConnectionSchema,
  llmConnectionSchema,
  llmsSchema,
  persistenceSchema,
  profileSchema,
  profilesSchema,
} from './schema.ts';

export type TableSchema = v.ObjectSchema<v.ObjectEntries, undefined>;

/** A table whose keys are all known. `*` stands for a name that the user chooses. */
export interface KnownTable {
  readonly at: readonly string[];
  readonly schema: TableSchema;
  /** Its other keys are connections, each a table of its own. */
  readonly open?: true;
  /** Keys of the origin system that mean nothing here, each with what to do instead. */
  readonly notHere?: Readonly<Record<string, string>>;
}

const store = { schema: groupSchema, open: true } as const;
const llms = 'the model connection decides it; leave it out here';

export const knownTables: readonly KnownTable[] = [
  { at: ['ai', 'agents'], schema: agentsSchema },
  { at: ['ai', 'agents', 'persistence'], schema: persistenceSchema },
  { at: ['ai', 'agents', 'profiles'], schema: profilesSchema },
  {
    at: ['ai', 'agents', 'profiles', 'connections', '*'],
    schema: profileSchema,
    notHere: {
      model_name: llms,
      temperature: llms,
      memory_key: 'the thread is the memory; leave it out',
      max_history_messages: 'the model is shown the whole history; leave it out',
    },
  },
  { at: ['ai', 'llms'], schema: llmsSchema },
  { at: ['ai', 'llms', 'connections', '*'], schema: llmConnectionSchema },
  { at: ['database', 'kvstore'], ...store },
  { at: ['database', 'documents'], ...store },
  { at: ['database', 'kvstore', '*'], schema: kvConnectionSchema },
  { at: ['database', 'documents', '*'], schema: documentConnectionSchema },
];

/** Tables that an application may extend: only what is all but a known name is refused. */
export const sharedTables = [
  { at: [], keys: ['ai', 'database'] },
  { at: ['ai'], keys: ['agents', 'llms'] },
  {
    at: ['database'],
    keys: ['kvstore', 'documents', 'default_kvstore_connection', 'default_document_connection'],
  },
] as const;

/**
 * Keys of the origin system's store connections that are not applied: they may stand on a connection that something
 * else uses, and are refused on the one that persistence uses.
 */
export const notAppliedToStores: Readonly<Record<string, string>> = {
  apply_key_resolver: 'declare a key_resolver wrapper, or none',
  key_prefix: 'use static_prefix in the config of a key_resolver wrapper',
  connect_timeout: "use the adapter's own option in the provider table",
  serializer: 'what is stored has one format; leave it out',
  connection_name: 'the name of the table is the name; leave it out',
};

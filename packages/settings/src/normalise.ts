import { configurationError } from './faults.ts';
import type { Layer } from './layers.ts';
import { mergeTables } from './merge.ts';
import { isTable, own, type Table, tableAt } from './table.ts';

/**
 * The layer with the two other spellings that the origin system's pages use brought to one: `[ai.llm]` is `[ai.llms]`,
 * and `[database.kvstore.connections.NAME]` is `[database.kvstore.NAME]` (so for `documents`).
 */
export function normalise(layer: Layer): Layer {
  let table = layer.table;
  table = withTable(table, 'ai', (ai) => renameLlm(ai, layer.source));
  table = withTable(table, 'database', (database) =>
    ['kvstore', 'documents'].reduce((merged, group) => withTable(merged, group, liftConnections), database),
  );
  return { source: layer.source, table };
}

function withTable(table: Table, key: string, change: (inner: Table) => Table): Table {
  const inner = own(table, key);
  return isTable(inner) ? Object.fromEntries([...Object.entries(table), [key, change(inner)]]) : table;
}

function renameLlm(ai: Table, source: string): Table {
  const { llm, ...rest } = ai;
  if (!isTable(llm)) return ai;
  if (own(ai, 'llms') === undefined) return { ...rest, llms: llm };
  throw configurationError('ai.llm', `${source}: ai.llm: [ai.llms] is there as well; write all of it as [ai.llms].`);
}

function liftConnections(group: Table): Table {
  const connections = tableAt(group, 'connections');
  if (Object.keys(connections).length === 0) return group;
  const others = Object.entries(group).filter(([key]) => key !== 'connections');
  return mergeTables(Object.fromEntries(others), connections);
}

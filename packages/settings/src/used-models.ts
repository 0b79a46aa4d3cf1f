import { isTable, own, type Path, type Table, tableAt } from './table.ts';

/** The names of the model connections that an agent of these settings may use, in the order in which they are named. */
export function usedModelNames(settings: Table): string[] {
  const agents = tableAt(tableAt(settings, 'ai'), 'agents');
  if (agents.enabled === false) return [];
  const profiles = Object.values(tableAt(tableAt(agents, 'profiles'), 'connections')).filter(isTable);
  const enabled = profiles.filter((profile) => profile.enabled !== false);
  const names = [...enabled.map((profile) => profile.connection_name), defaultModelName(settings)];
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

/** The connection of profiles that name none. */
export function defaultModelName(settings: Table): string | undefined {
  const ai = tableAt(settings, 'ai');
  const name = tableAt(ai, 'agents').default_connection_name ?? tableAt(ai, 'llms').default_connection_name;
  return typeof name === 'string' ? name : undefined;
}

/** Where the used model connections are, those that there are. */
export function pathsOfModels(settings: Table): Path[] {
  const connections = tableAt(tableAt(tableAt(settings, 'ai'), 'llms'), 'connections');
  return usedModelNames(settings)
    .filter((name) => isTable(own(connections, name)))
    .map((name) => ['ai', 'llms', 'connections', name]);
}

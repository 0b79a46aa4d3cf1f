import { AgentStateError, isAgentStateError } from '@agent-state/core';
import { type Layer, layerOf } from './layers.ts';
import { type Path, showPath } from './table.ts';

/** One thing that is wrong with the settings; `says` never holds a value. */
export interface Fault {
  readonly path: Path;
  readonly says: string;
}

/** A `configuration` error about one file, variable or key. */
export function configurationError(path: string, says: string): AgentStateError {
  return new AgentStateError('configuration', says, { path });
}

/** Throws one error with every fault, each with the file or variable that it came from. */
export function refuse(faults: readonly Fault[], layers: readonly Layer[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const lines = faults.map(({ path, says }) => `${layerOf(layers, path)}: ${showPath(path)}: ${says}`);
  const text = lines.length === 1 ? lines[0] : `${lines.length} faults in the settings:\n- ${lines.join('\n- ')}`;
  throw configurationError(showPath(first.path), `${text}`);
}

/** What an adapter says is wrong with its connection, said of the table in the settings that the connection is. */
export function inSettingsWords<T>(connection: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!isAgentStateError(error, 'configuration') || error.path?.startsWith(connection)) throw error;
    const path = error.path === undefined ? connection : `${connection}.${error.path}`;
    throw configurationError(path, `${connection}: ${error.message}`);
  }
}

import { mergeTables } from './merge.ts';
import { type Path, type Table, valueAt } from './table.ts';

/** What one file section or one environment variable says. */
export interface Layer {
  /** For messages: the file and its section, or the variable. */
  readonly source: string;
  readonly table: Table;
}

export function mergeLayers(layers: readonly Layer[]): Table {
  return layers.reduce<Table>((merged, layer) => mergeTables(merged, layer.table), {});
}

/** The source of the layer that has the last word on a path; of a key that is missing, that of its nearest table. */
export function layerOf(layers: readonly Layer[], path: Path): string {
  for (let length = path.length; length > 0; length -= 1) {
    const part = path.slice(0, length);
    const layer = layers.findLast(({ table }) => valueAt(table, part) !== undefined);
    if (layer) return layer.source;
  }
  return layers.at(-1)?.source ?? 'Settings';
}

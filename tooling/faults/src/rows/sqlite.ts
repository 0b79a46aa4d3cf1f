import { row } from '../row.ts';

/** G. SQLite. */
export const sqliteRows = [
  row('G1', 'another process holds the write lock', 'sqlite', 'process'),
  row('G2', 'the disk is full', 'sqlite', 'process'),
  row('G3', 'the file or its folder is removed or made read-only', 'sqlite', 'process'),
  row('G4', 'the file is not a database, or a damaged one', 'sqlite'),
  row('G5', 'the process is killed, or the power lost, around a commit', 'sqlite', 'process'),
  row('G6', 'eight processes write one file', 'sqlite', 'process'),
];

import { row } from '../row.ts';

/** A. The process that runs the agent. */
export const processRows = [
  row('A1', 'the process is killed at any point of a run', 'process'),
  row('A2', 'the process is killed when a save was sent and not yet answered', 'process', 'redis'),
  row('A3', 'the process is killed when some of its parallel tools are done and others are not', 'process'),
  row('A4', 'the process dies after a tool took effect and before its result was saved', 'process'),
  row('A5', 'the process is killed during the final answer, or right after it was saved', 'process'),
  row('A6', 'the process is gone while a thread is paused for three days', 'process', 'redis'),
  row('A7', 'the save of a tool’s result fails'),
  row('A8', 'the process is told to terminate (SIGTERM)', 'process'),
  row('A9', 'a synchronous tool blocks the event loop for ten seconds', 'redis'),
  row('A10', 'a tool or the model rejects, throws or never answers'),
  row('A11', 'a tool kills every process that runs it', 'process'),
  row('A12', 'nothing went wrong: a finished run is resumed', 'process'),
];

import { row } from '../row.ts';

/** F. Input, and the program around. */
export const hostRows = [
  row('F1', 'thread ids are hostile', 'redis'),
  row('F2', 'thread ids are operators, or not strings', 'mongo'),
  row('F3', 'the clock jumps back during a run'),
  row('F4', 'the process runs out of file descriptors', 'process'),
  row('F5', 'a thousand threads lose their store for a minute', 'redis'),
  row('F6', 'a listener or the logger throws'),
  row('F7', 'the program closes with saves under way', 'redis', 'mongo'),
];

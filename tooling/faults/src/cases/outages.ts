import { failure } from '../case.ts';

/** Outages, reconnecting, clusters, memory and growth. */
export const outageCases = [
  failure('S-DEG-01', 'A store that is down at the start ends the process'),
  failure('S-DEG-02', 'After the server died every call waits for ever'),
  failure('S-DEG-03', 'A write that failed is reported as done'),
  failure('S-DEG-04', 'An outage looks like a new thread, and the history is overwritten'),
  failure('S-DEG-05', 'A timeout does not cover the search for a server'),
  failure('S-DEG-06', 'A server without memory ends the process, or its refusal is swallowed'),
  failure('S-DEG-07', 'What an outage added is hidden by the old copy'),
  failure('S-DEG-08', 'A wrong password is retried without a word'),
  failure('S-REC-01', 'The client never comes back to a store that did'),
  failure('S-REC-02', 'A store that starts after the program is never used'),
  failure('S-REC-03', 'A call after close fails obscurely'),
  failure('S-REC-04', 'A program that used the store never ends'),
  failure('S-CLU-01', 'A cluster refuses writes to two keys of one thread'),
  failure('S-CLU-02', 'Only one node of a cluster is listed or cleared'),
  failure('S-MEM-01', 'Service objects pile up listeners on a shared client'),
  failure('S-MEM-02', 'Deleted threads stay in memory'),
  failure('S-MEM-03', 'Interrupted connects pile up connections'),
  failure('S-PER-01', 'Every step stores the whole history again'),
  failure('S-PER-02', 'Look-ups scan the whole collection'),
  failure('S-PER-03', 'A call uses KEYS and blocks the server'),
  failure('S-PER-04', 'Expired entries are removed one by one while a caller waits'),
  failure('S-PER-05', 'A conversation that is handed over whole is appended whole'),
];

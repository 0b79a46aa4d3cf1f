import { failure } from '../case.ts';

/** Expiry, deletion, keys and safety. */
export const storageCases = [
  failure('S-TTL-01', 'Helper keys outlive their thread'),
  failure('S-TTL-02', 'A later save takes the expiry away'),
  failure('S-TTL-03', 'A lifetime above 24.8 days ends at once'),
  failure('S-TTL-04', 'Seconds are taken for milliseconds'),
  failure('S-TTL-05', 'The database never removes what has expired'),
  failure('S-TTL-06', 'Expired threads are still read until the database removes them'),
  failure('S-TTL-07', 'Expiry that is switched on later has no effect on older threads'),
  failure('S-DEL-01', 'A delete leaves user data under other keys'),
  failure('S-DEL-02', 'A late save brings a deleted thread back'),
  failure('S-DEL-03', 'A delete reports success and the thread can still be read'),
  failure(
    'S-DEL-04',
    'Values meant for one run are stored',
    'there are no values for one run only: a variable is stored, and what a tool keeps to itself is never seen.',
  ),
  failure('S-KEY-01', 'A second service changes the namespace of the first'),
  failure('S-KEY-02', 'Clearing one namespace clears others'),
  failure('S-KEY-03', 'A namespace is taken for a pattern'),
  failure('S-SEC-01', 'A thread id changes the prototype of every object'),
  failure('S-SEC-02', 'An id or a filter that is an object reads other people’s threads'),
  failure('S-SEC-03', 'A thread id with wildcards deletes other threads'),
  failure('S-SEC-04', 'Errors and logs show the password'),
  failure(
    'S-SEC-05',
    'A developer tool listens on every interface',
    'nothing here listens: there is no inspector and no server, threads are looked at through createThreads.',
  ),
  failure(
    'S-SEC-06',
    'A thread id leaves the storage folder',
    'no thread id becomes a file name: the one store with a file has rows for threads, and nothing is exported to files.',
  ),
];

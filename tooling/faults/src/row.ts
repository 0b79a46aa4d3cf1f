/** What a fault is provoked on; `process` is one that is killed, frozen or starved. */
export type Ground = 'redis' | 'mongo' | 'sqlite' | 'process';

/** A fault that the tests provoke. A test shows it whose title has the id in brackets, as in `[B14]`. */
export interface Row {
  readonly id: string;
  /** What goes wrong. */
  readonly title: string;
  /** The real things that it needs; nothing: it is provoked within the test's own process. */
  readonly on: readonly Ground[];
}

export const row = (id: string, title: string, ...on: readonly Ground[]): Row => ({ id, title, on });

const words = {
  redis: 'real redis',
  mongo: 'real mongod',
  sqlite: 'real sqlite',
  process: 'real processes',
} as const satisfies Record<Ground, string>;

/** The ground of a row, in words. */
export const grounds = ({ on }: Row): string => on.map((ground) => words[ground]).join(', ') || 'in process';

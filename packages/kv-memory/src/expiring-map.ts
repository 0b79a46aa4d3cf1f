/** A map whose entries are gone once their time has come. Times are those of one clock, in milliseconds. */
export interface ExpiringMap<V> {
  get(key: string, now: number): V | undefined;
  /** `expiresAt` null: never. */
  set(key: string, value: V, expiresAt: number | null, now: number): void;
  delete(key: string): void;
  /** What is alive, and drops the rest. */
  entries(now: number): IterableIterator<[key: string, value: V]>;
  /** How many entries take memory: the living, and the expired that nobody has passed yet. */
  size(): number;
}

/** How many other entries each `set` looks at. With two, what expires goes at least as fast as new entries come. */
const looksPerSet = 2;

/**
 * An expiring map without timers, which would fire at once for anything past 24.8 days and keep the process busy: an
 * entry is checked when it is read, and each `set` goes a little further round the map, so that entries that nobody
 * reads again do not stay.
 */
export function createExpiringMap<V>(): ExpiringMap<V> {
  const entries = new Map<string, { readonly value: V; readonly expiresAt: number | null }>();
  let round = entries.entries();

  const isOver = (expiresAt: number | null, now: number) => expiresAt !== null && expiresAt <= now;

  function lookFurther(now: number): void {
    for (let look = 0; look < looksPerSet; look += 1) {
      const { done, value } = round.next();
      if (done) round = entries.entries();
      else if (isOver(value[1].expiresAt, now)) entries.delete(value[0]);
    }
  }

  return {
    get(key, now) {
      const entry = entries.get(key);
      if (!entry || !isOver(entry.expiresAt, now)) return entry?.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value, expiresAt, now) {
      entries.set(key, { value, expiresAt });
      lookFurther(now);
    },
    delete: (key) => void entries.delete(key),
    *entries(now) {
      for (const [key, { value, expiresAt }] of entries) {
        if (isOver(expiresAt, now)) entries.delete(key);
        else yield [key, value];
      }
    },
    size: () => entries.size,
  };
}

/** Jobs with a key: those of one key run one after the other, in the order in which they came. */
export interface Queues {
  enqueue<T>(key: string, job: () => Promise<T>): Promise<T>;
  has(key: string): boolean;
  size(): number;
}

export function createQueues(): Queues {
  const tails = new Map<string, Promise<void>>();
  return Object.freeze<Queues>({
    enqueue(key, job) {
      const result = (tails.get(key) ?? Promise.resolve()).then(job);
      const ended = () => {
        if (tails.get(key) === tail) tails.delete(key);
      };
      const tail: Promise<void> = result.then(ended, ended);
      tails.set(key, tail);
      return result;
    },
    has: (key) => tails.has(key),
    size: () => tails.size,
  });
}

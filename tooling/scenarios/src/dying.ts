import type { Checkpointer } from '@agent-state/core';

/**
 * A process that dies at its nth save (counted from 1): `before` or `after` the store has it. From then on nothing of
 * it ever answers, as far as the store can tell.
 */
export function dyingAt(
  checkpointer: Checkpointer,
  nth: number,
  when: 'before' | 'after',
): Checkpointer & { died: Promise<void> } {
  let die = (): void => {};
  const died = new Promise<void>((resolve) => {
    die = resolve;
  });
  const never = new Promise<never>(() => {});
  let saves = 0;
  return {
    ...checkpointer,
    died,
    async save(threadId, write) {
      saves += 1;
      if (saves < nth) return checkpointer.save(threadId, write);
      if (saves === nth && when === 'after') await checkpointer.save(threadId, write);
      die();
      return never;
    },
  };
}

/** Chance that a seed decides. */
export interface Random {
  /** From 0 up to 1. */
  next(): number;
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = Math.imul(seed, 2_654_435_761) + 12_345;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    chance: (probability) => next() < probability,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick<T>(items: readonly T[]) {
      if (items.length === 0) throw new TypeError('There is nothing to pick from.');
      return items[Math.floor(next() * items.length)] as T;
    },
  };
}

/** A whole number that stands for a text: the same in every process. */
export function hash(text: string): number {
  let mixed = 2_166_136_261;
  for (let index = 0; index < text.length; index += 1) mixed = Math.imul(mixed ^ text.charCodeAt(index), 16_777_619);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

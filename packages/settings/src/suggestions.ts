/** How many letters have to be added, dropped, replaced or swapped with their neighbour. */
export function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1];
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const best = Math.min(at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + (same ? 0 : 1));
      next.push(swapped ? Math.min(best, at(before, j - 2) + 1) : best);
    }
    before = row;
    row = next;
  }
  return at(row, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}

/**
 * The known name that `name` is most likely meant to be: the one with the fewest letters wrong, else one that it begins
 * or that begins it (`ttl`, `ttl_seconds`); undefined where none is near.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const small = name.toLowerCase();
  const limit = Math.max(1, Math.floor(small.length / 3));
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(small, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  if (best !== undefined && best.distance <= limit) return best.candidate;
  return known.find((candidate) => candidate.startsWith(`${small}_`) || small.startsWith(`${candidate}_`));
}

/** As {@link nearest}, for names among which an application may have its own: only what is all but the same. */
export function allBut(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return undefined;
  const long = known.filter((candidate) => candidate.length >= 4);
  return long.find((candidate) => editDistance(name.toLowerCase(), candidate) <= (candidate.length >= 7 ? 2 : 1));
}

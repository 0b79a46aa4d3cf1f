/** The longest pause between two tries, in milliseconds. */
const longestMs = 50;

/**
 * How long to wait before trying again, in milliseconds: twice as long each time, and never quite as long as another
 * process that met the same lock.
 */
export function pauseBefore(retry: number, random: number): number {
  const full = Math.min(longestMs, 2 ** (retry + 1));
  return full * (0.5 + random / 2);
}

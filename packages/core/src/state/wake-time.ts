/**
 * The instant as a `wake_at` is stored: as `toISOString` writes it, in the years 0 to 9999, so that these texts sort as
 * their times do and a store may compare them. Undefined for any other instant.
 */
export function toWakeTime(ms: number): string | undefined {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? date.toISOString() : undefined;
}

export function isWakeTime(text: string): boolean {
  return toWakeTime(Date.parse(text)) === text;
}

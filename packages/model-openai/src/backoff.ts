import type { Again } from './failures.ts';

const firstMs = 500;
const longestMs = 8_000;

/** The longest that a server may have us wait; where it asks for more, the caller is told instead. */
export const longestRetryAfterMs = 60_000;

/** How long to wait before the next try, in milliseconds; undefined: do not try. */
export function pauseBefore(retry: number, { again, afterMs }: Again, random: number): number | undefined {
  if (!again) return undefined;
  if (afterMs !== undefined) return afterMs > longestRetryAfterMs ? undefined : afterMs;
  return Math.min(longestMs, firstMs * 2 ** retry) * (0.5 + random / 2);
}

/** What the headers ask for, in milliseconds: seconds, a date, or OpenAI's own header. */
export function retryAfterMs(headers: Pick<Headers, 'get'>, now: number): number | undefined {
  const ms = numberIn(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const value = headers.get('retry-after');
  const seconds = numberIn(value);
  if (seconds !== undefined) return seconds * 1_000;
  // `Date.parse` takes nearly anything for a date, `-5` too; the ones of HTTP begin with a day of the week.
  const date = /^[A-Z][a-z]{2}, /.test(value ?? '') ? Date.parse(value ?? '') : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function numberIn(value: string | null): number | undefined {
  return value !== null && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}

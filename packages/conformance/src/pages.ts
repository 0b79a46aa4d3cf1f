import assert from 'node:assert/strict';
import type { ListOptions, ThreadPage, ThreadSummary } from '@agent-state/core';

/** All pages, one after the other. `between` runs after each. */
export async function pagesOf(
  page: (options: ListOptions) => Promise<ThreadPage>,
  limit: number,
  between: (page: number) => Promise<unknown> = async () => {},
): Promise<ThreadSummary[]> {
  const found: ThreadSummary[] = [];
  let cursor: string | undefined;
  for (let count = 1; count < 1_000; count += 1) {
    const next = await page({ limit, ...(cursor === undefined ? {} : { cursor }) });
    assert(next.threads.length <= limit, `a page of ${next.threads.length} where ${limit} were asked for`);
    found.push(...next.threads);
    if (next.cursor === undefined) return found;
    cursor = next.cursor;
    await between(count);
  }
  assert.fail('the pages do not end');
}

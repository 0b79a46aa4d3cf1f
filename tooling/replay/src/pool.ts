/** Does all of it, `width` at a time; the results come in the order of the items. */
export async function inPool<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...items.entries()];
  const workers = Array.from({ length: width }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await work(next[1]);
  });
  await Promise.all(workers);
  return results;
}

// Saves on the server that is given and closes; what is left open would keep this process from ending.
const [file, url, how] = process.argv.slice(2);
const { createRedisCheckpointer } = await import(file);

const store = createRedisCheckpointer({ url, connectTimeoutMs: 500, commandTimeoutMs: 500 });
const state = { history: [{ role: 'user', content: 'a' }] };
const saved = store.save('t', { state, ttl: { ttlMs: 60_000, pausedTtlMs: 60_000 } });
const outcome =
  how === 'wait'
    ? await saved.then(
        () => 'saved',
        ({ code }) => code,
      )
    : 'not waited for';
if (how !== 'wait') {
  saved.catch(() => {});
  // On its way at once, while this save is still in its queue.
  store.load('t').catch(() => {});
}
await store.close();
console.log(outcome);

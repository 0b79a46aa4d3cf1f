// Appends `rounds` messages to threads of its own, and to one that all processes share, then ends by itself.
const [, , bundle, path, name, ownThreads, rounds] = process.argv;
const { createSqliteCheckpointer } = await import(bundle);
const checkpointer = createSqliteCheckpointer({ path, busyTimeoutMs: 60_000 });

/** Goes round again after a conflict, from what is stored then: a stale read would never end, or lose a message. */
async function append(threadId, content) {
  for (;;) {
    const base = await checkpointer.load(threadId);
    const history = [...(base.found ? base.state.history : []), { role: 'user', content }];
    try {
      return await checkpointer.save(threadId, { state: { history }, base, appendedFrom: history.length - 1 });
    } catch (error) {
      if (error.code !== 'conflict') throw error;
    }
  }
}

for (let round = 0; round < Number(rounds); round += 1) {
  for (let thread = 0; thread < Number(ownThreads); thread += 1) await append(`${name}-${thread}`, `${round}`);
  await append('shared', `${name} ${round}`);
}
await checkpointer.close();

// Saves once and comes to its end, with or without closing: nothing of the adapter may keep the process alive.
const [, , bundle, path, closes] = process.argv;
const { createSqliteCheckpointer } = await import(bundle);
const checkpointer = createSqliteCheckpointer({ path });
await checkpointer.save('thread', { state: { history: [{ role: 'user', content: 'hello' }] } });
if (closes === 'close') await checkpointer.close();

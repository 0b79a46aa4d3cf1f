// Appends messages to a thread up to a number of them, says which were acknowledged, and how it ended.
const [, , bundle, url, database, threadId, upTo] = process.argv;
const { createMongoCheckpointer } = await import(bundle);
const tail = { messages: 4, bytes: 100_000 };
// Longer than it may be stopped for: what it then reads is the answer.
const checkpointer = createMongoCheckpointer({ url, database, tail, socketTimeoutMS: 60_000 });

let base = await checkpointer.load(threadId);
let { history } = base.state;
console.log('loaded');
try {
  while (history.length < Number(upTo)) {
    history = [...history, { role: 'user', content: `message ${history.length}` }];
    const step = { step: history.length, phase: 'think', at: new Date().toISOString(), run_id: 'run-1' };
    base = await checkpointer.save(threadId, {
      state: { ...base.state, history },
      base,
      appendedFrom: history.length - 1,
      variablesChanged: false,
      steps: [{ ...step, history_length: history.length }],
    });
    console.log(`acknowledged ${history.length}`);
  }
  console.log('ended done');
} catch (error) {
  console.log(`ended ${error.code}`);
}
await checkpointer.close();

// Appends one message and one step to a thread, again and again, and says each acknowledged revision.
const [, , bundle, path] = process.argv;
const { createSqliteCheckpointer } = await import(bundle);
const checkpointer = createSqliteCheckpointer({ path });

const found = await checkpointer.load('thread');
let base = found;
let history = found.found ? [...found.state.history] : [];
console.log('started');
for (;;) {
  const number = history.length + 1;
  history = [...history, { role: 'user', content: `message ${number} ${'x'.repeat(3_000)}` }];
  const step = {
    step: number,
    phase: 'think',
    at: '2026-01-01T00:00:00Z',
    run_id: 'run',
    history_length: history.length,
  };
  const write = { state: { history, variables: { number }, current_step: number }, base, steps: [step] };
  base = await checkpointer.save('thread', { ...write, appendedFrom: history.length - 1 });
  console.log(`saved ${base.revision}`);
}

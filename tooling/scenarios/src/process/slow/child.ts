import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Checkpointer, closeOnSignal } from '@agent-state/core';
import { calls, says, startProcess, tool } from '../../agent.ts';
import { openStore } from '../../open-store.ts';

/** What this process says at its end. */
export interface Closed {
  /** The threads of which something is not stored. */
  readonly unsaved: readonly string[];
  /** The last step of each thread that its run told of. */
  readonly steps: Readonly<Record<string, number>>;
}

const [, , store = '', url = '', threads = '', saveMs = '', deadlineMs = ''] = process.argv;
const checkpointer = await openStore(store, url);
const steps: Record<string, number> = {};
let waiting = 0;

/** As many threads as were named save at once; the parent is told when each of them waits for the store. */
const slow: Checkpointer = {
  ...checkpointer,
  async save(threadId, write) {
    waiting += 1;
    if (waiting === threads.split(',').length) process.send?.('all save');
    await sleep(Number(saveMs));
    return checkpointer.save(threadId, write);
  },
};
const agents = startProcess(slow, [calls('work', {}), says('Done.')], [tool('work', () => 'worked')], {
  onEvent(event) {
    if (event.type === 'thought' || event.type === 'acted') steps[event.threadId] = event.step;
  },
});
closeOnSignal(agents.factory, {
  deadlineMs: Number(deadlineMs),
  onClosed(unsaved) {
    const closed: Closed = { unsaved: unsaved.map(({ threadId }) => threadId), steps };
    writeSync(1, JSON.stringify(closed));
  },
});
for (const threadId of threads.split(',')) {
  agents
    .agent(threadId)
    .run('Go')
    .catch(() => {});
}

import { isAgentStateError } from '@agent-state/core';
import { calls, says, startProcess, tool } from '../agent.ts';
import { openStore } from '../open-store.ts';
import { heartbeatMs } from './heartbeat.ts';

/**
 * A process of its own: sends an input to a thread, and says which tools it starts and how the run ends; the first of
 * its two tools never does. With `claimed` it dies as soon as the thread is its own.
 */
const [, , store = '', url = '', threadId = '', input = '', dies = ''] = process.argv;

const telling = (name: string, result: () => unknown) =>
  tool(name, () => {
    console.log(`tool ${name}`);
    return result();
  });
const agents = startProcess(
  await openStore(store, url),
  [calls('stuck', {}, 'quick', {}), says('By the worker.')],
  [telling('stuck', () => new Promise<never>(() => {})), telling('quick', () => 'quick')],
  {
    heartbeatMs,
    maxAttempts: 9,
    onEvent({ type }) {
      if (type !== 'run_started') return;
      console.log('claimed');
      if (dies === 'claimed') process.kill(process.pid, 'SIGKILL');
    },
  },
);
const outcome = await agents
  .agent(threadId)
  .run(input)
  .then(
    ({ status }) => status,
    (error: unknown) => (isAgentStateError(error) ? error.code : String(error)),
  );
console.log(`ended ${outcome}`);
process.exit();

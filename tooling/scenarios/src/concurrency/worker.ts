import { isAgentStateError } from '@agent-state/core';
import { calls, says, startProcess, tool } from '../agent.ts';
import { openStore } from '../open-store.ts';
import { heartbeatMs } from './heartbeat.ts';

/**
 * A process of its own: sends an input to a thread, and says which tools it starts and how the run ends; the first of
 * its two tools never does. With `claimed` it dies as soon as the thread is its own; with `asks` it calls a tool that
 * needs a person instead.
 */
const [, , store = '', url = '', threadId = '', input = '', how = ''] = process.argv;

const telling = (name: string, result: () => unknown) =>
  tool(name, () => {
    console.log(`tool ${name}`);
    return result();
  });
const refund = tool('refund', () => 'refunded', { needsApproval: true });
const agents = startProcess(
  await openStore(store, url),
  [how === 'asks' ? calls('refund', {}) : calls('stuck', {}, 'quick', {}), says('By the worker.')],
  [telling('stuck', () => new Promise<never>(() => {})), telling('quick', () => 'quick'), refund],
  {
    heartbeatMs,
    maxAttempts: 9,
    onEvent({ type }) {
      if (type !== 'run_started') return;
      console.log('claimed');
      if (how === 'claimed') process.kill(process.pid, 'SIGKILL');
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

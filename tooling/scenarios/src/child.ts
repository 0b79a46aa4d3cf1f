import { createAgentFactory, createScriptedModel, isAgentStateError } from '@agent-state/core';
import { calls, createGate, says, tool } from './agent.ts';
import { openStore } from './open-store.ts';

/** What a test tells a child process to do. */
export type Order =
  | { readonly kind: 'run'; readonly threadId: string; readonly input: string; readonly meetAt: number }
  /** The other process has claimed the thread. */
  | { readonly kind: 'met'; readonly threadId: string };

/**
 * What it tells: that it has claimed the thread, and how the run ended: `done`, or the code of the error, and how many
 * tools it has started after a save of its own was refused.
 */
export type Report =
  | { readonly kind: 'claimed'; readonly threadId: string }
  | { readonly kind: 'ended'; readonly threadId: string; readonly outcome: string; readonly startedLate: number };

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const tell = (report: Report) => process.send?.(report);
const [, , store = '', url = ''] = process.argv;
const checkpointer = await openStore(store, url);

/** From which of the model's turns on this process waits until the other one has claimed the thread as well. */
let meeting = { at: 0, gate: createGate() };

const turns = [calls('slow', {}), calls('slow', {}, 'slow', {}), calls('slow', {}), says('Done.')].map(
  (answer, index) => async () => {
    if (index >= meeting.at) await meeting.gate.passed;
    return answer;
  },
);
/** Of the run that this process is at. */
let late = { claimed: false, refused: false, started: 0 };

const slow = tool('slow', async () => {
  if (late.refused) late.started += 1;
  await wait(5);
  return `by ${process.pid}`;
});
const factory = createAgentFactory({
  profiles: { bot: { name: 'bot', tools: ['slow'] } },
  defaultProfile: 'bot',
  models: { scripted: createScriptedModel(turns) },
  defaultModel: 'scripted',
  tools: [slow],
  checkpointer: {
    ...checkpointer,
    save: (threadId, write) =>
      checkpointer.save(threadId, write).catch((error: unknown) => {
        late.refused ||= late.claimed;
        throw error;
      }),
  },
  onEvent: ({ type, threadId }) => {
    if (type !== 'run_started') return;
    late.claimed = true;
    tell({ kind: 'claimed', threadId });
  },
});

async function play(threadId: string, input: string): Promise<void> {
  late = { claimed: false, refused: false, started: 0 };
  const outcome = await factory
    .create({ threadId })
    .run(input, { onBusy: 'takeOver' })
    .then(
      ({ status, durable }) => (durable ? status : 'not durable'),
      (error: unknown) => (isAgentStateError(error) ? error.code : String(error)),
    );
  tell({ kind: 'ended', threadId, outcome, startedLate: late.started });
}

process.on('message', (order: Order) => {
  if (order.kind === 'met') return meeting.gate.open();
  meeting = { at: order.meetAt, gate: createGate() };
  void play(order.threadId, order.input);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

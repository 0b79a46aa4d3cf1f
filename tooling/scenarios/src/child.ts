import { type Checkpointer, createAgentFactory, createScriptedModel, isAgentStateError } from '@agent-state/core';
import { calls, says, tool } from './agent.ts';

/** What a test tells a child process to do, message by message. */
export interface Round {
  readonly threadId: string;
  readonly input: string;
}

/** How a round went: `done`, or the code of the error. */
export interface Outcome {
  readonly threadId: string;
  readonly outcome: string;
}

/** Only the one store's client is loaded. */
async function openStore(store: string, url: string): Promise<Checkpointer> {
  if (store === 'redis') return (await import('@agent-state/kv-redis')).createRedisCheckpointer({ url });
  if (store === 'mongo') return (await import('@agent-state/doc-mongo')).createMongoCheckpointer({ url });
  return (await import('@agent-state/doc-sqlite')).createSqliteCheckpointer({ path: url });
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const [, , store = '', url = ''] = process.argv;
const checkpointer = await openStore(store, url);
const slow = tool('slow', async () => {
  await wait(15);
  return `by ${process.pid}`;
});
const factory = createAgentFactory({
  profiles: { bot: { name: 'bot', tools: ['slow'] } },
  defaultProfile: 'bot',
  models: {
    scripted: createScriptedModel([calls('slow', {}), calls('slow', {}, 'slow', {}), calls('slow', {}), says('Done.')]),
  },
  defaultModel: 'scripted',
  tools: [slow],
  checkpointer,
});

async function play({ threadId, input }: Round): Promise<void> {
  const outcome = await factory
    .create({ threadId })
    .run(input, { onBusy: 'takeOver' })
    .then(
      ({ status, durable }) => (durable ? status : 'not durable'),
      (error: unknown) => (isAgentStateError(error) ? error.code : String(error)),
    );
  const answer: Outcome = { threadId, outcome };
  process.send?.(answer);
}

process.on('message', (round: Round) => void play(round));
process.on('disconnect', () => process.exit());
process.send?.('ready');

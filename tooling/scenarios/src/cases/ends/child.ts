import { createAgentFactory, createScriptedModel } from '@agent-state/core';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { createRedisCheckpointer } from '@agent-state/kv-redis';

/** A script as users write it: it uses a store, with a time to live, and is then at its end. Only a client is closed. */
const [, , url] = process.argv;
const warn = (_fields: object, message: string) => void process.stdout.write(`warning: ${message}\n`);
const checkpointer = url === undefined ? createMemoryCheckpointer() : createRedisCheckpointer({ url });
const factory = createAgentFactory({
  profiles: { bot: { name: 'bot' } },
  defaultProfile: 'bot',
  models: { scripted: createScriptedModel([{ content: 'Hello.' }]) },
  defaultModel: 'scripted',
  checkpointer,
  logger: { info() {}, warn, error: warn },
  ttl: { ttlMs: 60_000, pausedTtlMs: 60_000 },
  storeCallMs: 2_000,
  storeBudgetMs: 2_500,
});
const { durable } = await factory.create({ threadId: `script ${process.pid}` }).run('Hi');
if (url !== undefined) {
  await factory.close({ deadlineMs: 300 });
  await checkpointer.close();
}
process.stdout.write(durable ? 'end: stored\n' : 'end: in memory\n');

import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createThreads } from '@agent-state/core';
import { createBot } from './bot.ts';
import { chat } from './chat.ts';
import { openOrderSystem } from './order-system.ts';
import { openTerminal } from './terminal.ts';
import { orderTools } from './tools.ts';

const usage = `Usage: support-bot [--thread ID] [--store sqlite|redis|mongo|memory] [--model scripted|openai]

A chat with the support agent of a small shop. Say "Where is order 1042?", "The teapot of order 1042 is broken" or
"Please refund order 1044": that is so much that the shop has to approve it. Give the same --thread again, from any
process, to go on with it.`;

const stores = ['sqlite', 'redis', 'mongo', 'memory'];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      thread: { type: 'string' },
      store: { type: 'string' },
      model: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return console.log(usage);
  if (!stores.includes(values.store ?? 'sqlite')) throw new Error(`There is no store ${values.store}.\n\n${usage}`);
  const threadId = values.thread ?? randomUUID();
  const tools = orderTools(openOrderSystem('support-bot-orders.jsonl'));
  const { factory, checkpointer } = await createBot({
    tools,
    ...(values.store === undefined ? {} : { store: values.store }),
    ...(values.model === undefined ? {} : { model: values.model }),
    logger: console,
  });
  const terminal = openTerminal();
  console.log(`Thread ${threadId} on ${checkpointer.name}. An empty line ends the chat.`);
  try {
    await chat({ agent: factory.create({ threadId }), threads: createThreads(checkpointer), terminal });
  } finally {
    terminal.close();
    const { unsaved } = await factory.close();
    if (unsaved.length > 0) console.error('The store was not back in time: the last answers of this chat are lost.');
    await checkpointer.close();
  }
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

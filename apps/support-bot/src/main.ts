import { randomUUID } from 'node:crypto';
import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type AgentService, isAgentStateError } from '@agent-state/core';
import { createBot } from './bot.ts';
import { openOrderSystem } from './order-system.ts';
import { orderTools } from './tools.ts';

const usage = `Usage: support-bot [--thread ID] [--store sqlite|redis|mongo|memory] [--model scripted|openai]

A chat with the support agent of a small shop. Say "Where is order 1042?" or "The teapot of order 1042 is broken".
Give the same --thread again, from any process, to go on with it.`;

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
  const agent = factory.create({ threadId });
  console.log(`Thread ${threadId} on ${checkpointer.name}. An empty line ends the chat.`);
  try {
    await resumeIfOpen(agent);
    await chat(agent);
  } finally {
    const { unsaved } = await factory.close();
    if (unsaved.length > 0) console.error('The store was not back in time: the last answers of this chat are lost.');
    await checkpointer.close();
  }
}

/** A process may have died on this thread; what it left open goes on first. */
async function resumeIfOpen(agent: AgentService): Promise<void> {
  try {
    const { answer } = await agent.resume();
    console.log(`bot: ${answer}`);
  } catch (error) {
    if (!isAgentStateError(error)) throw error;
    if (error.code !== 'not_found') console.log(`(the last run ended with ${error.code})`);
  }
}

async function chat(agent: AgentService): Promise<void> {
  const lines = createInterface({ input: stdin, output: stdout, prompt: 'you: ' });
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() === '') break;
    await answer(agent, line);
    lines.prompt();
  }
  lines.close();
}

async function answer(agent: AgentService, line: string): Promise<void> {
  try {
    const { answer: text, durable } = await agent.run(line);
    console.log(`bot: ${text}${durable ? '' : '  (not stored yet)'}`);
  } catch (error) {
    if (!isAgentStateError(error)) throw error;
    console.log(`(${error.code}: ${error.message})`);
  }
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

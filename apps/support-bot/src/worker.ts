import { once } from 'node:events';
import type { Logger, RunResult } from '@agent-state/core';
import { createBot } from './bot.ts';
import { openOrderSystem } from './order-system.ts';
import { orderTools } from './tools.ts';

/** What the demo tells a worker to do, in its arguments. */
export interface Job {
  readonly threadId: string;
  readonly orders: string;
  /** The customer's words; left out: resume. */
  readonly input?: string;
  /** Stop before this tool returns, until the demo says to go on, or kills the process. */
  readonly stopIn?: string;
}

/** What a worker tells the demo. */
export type Report =
  | { readonly kind: 'in_tool' }
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'answered'; readonly result: RunResult; readonly unsaved: number };

const tell = (report: Report) => process.send?.(report);

/** One process of the demo: does its job on the thread, says how it went, and ends. */
async function work({ threadId, orders, input, stopIn }: Job): Promise<void> {
  const tools = orderTools(openOrderSystem(orders), async (tool) => {
    if (tool !== stopIn) return;
    tell({ kind: 'in_tool' });
    await once(process, 'message');
  });
  const warn = (_fields: object, message: string) => void tell({ kind: 'warning', message });
  const logger: Logger = { info() {}, warn, error: warn };
  const { factory, checkpointer } = await createBot({ tools, logger });
  const agent = factory.create({ threadId });
  const result = input === undefined ? await agent.resume() : await agent.run(input);
  tell({ kind: 'answered', result, unsaved: agent.status().unsavedSteps });
  await factory.close({ deadlineMs: 20_000 });
  await checkpointer.close();
}

await work(JSON.parse(process.argv[2] ?? '{}') as Job);
process.disconnect?.();

import { type AgentService, isAgentStateError, type RunResult, type Threads } from '@agent-state/core';
import type { Terminal } from './terminal.ts';

/** Whom a chat is held with, and on which thread. */
export interface Parties {
  readonly agent: AgentService;
  readonly threads: Threads;
  readonly terminal: Terminal;
}

/** Goes on with what the thread has open, and answers line after line until an empty one. */
export async function chat(parties: Parties): Promise<void> {
  const { agent, terminal } = parties;
  await tell(parties, () => resumed(agent));
  for (;;) {
    const line = await terminal.ask('you: ');
    if (!line?.trim()) return;
    await tell(parties, () => agent.run(line));
  }
}

/** What a process left open that died, or that nobody decided in; a new thread has nothing to go on with. */
async function resumed(agent: AgentService): Promise<RunResult | undefined> {
  try {
    return await agent.resume();
  } catch (error) {
    if (isAgentStateError(error, 'not_found')) return undefined;
    throw error;
  }
}

/** Says what comes of a run. Where it waits for a person, that is whoever sits here: then it goes on. */
async function tell(parties: Parties, run: () => Promise<RunResult | undefined>): Promise<void> {
  try {
    let result = await run();
    while (result?.status === 'paused' && result.pause.kind === 'person' && (await decided(parties))) {
      // Somebody else may have gone on with it already: then his answer is waited for.
      result = await parties.agent.resume({ onBusy: 'wait' });
    }
    if (result?.status === 'paused') console.log('(it waits; start again with this thread to go on)');
    if (result?.status === 'done') console.log(`bot: ${result.answer}${result.durable ? '' : '  (not stored yet)'}`);
  } catch (error) {
    if (!isAgentStateError(error)) throw error;
    console.log(`(${error.code}: ${error.message})`);
  }
}

/** Asks for a decision on each call that waits for one; false where somebody does not want to decide. */
async function decided({ agent: { threadId }, threads, terminal }: Parties): Promise<boolean> {
  for (const { key, tool, arguments: args } of await threads.pending(threadId)) {
    const said = (await terminal.ask(`${tool}(${args}) needs the shop's approval. "yes", or why not: `))?.trim();
    if (!said) return false;
    const mine = said === 'yes' ? ({ verdict: 'approve' } as const) : ({ verdict: 'reject', reason: said } as const);
    const { counted, decision } = await threads.decide(threadId, key, mine);
    if (!counted) console.log(`(somebody was faster: ${decision.verdict})`);
  }
  return true;
}

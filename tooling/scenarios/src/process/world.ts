import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AgentFactoryOptions,
  type Checkpointer,
  createThreads,
  isAgentStateError,
  type ModelAnswer,
  type ModelRequest,
  type RunResult,
  type Runtime,
  systemRuntime,
  type Tool,
} from '@agent-state/core';
import { startProcess, tool } from '../agent.ts';
import { isPaired } from '../paired.ts';
import type { Ledger } from './ledger.ts';
import { type At, withPoints } from './points.ts';
import { type ScenarioName, scenarios } from './scenarios.ts';

export interface WorldOptions {
  readonly scenario: ScenarioName;
  readonly threadId: string;
  readonly ledger: Ledger;
  readonly at?: At;
  /** Waits until this call may go on, where somebody holds it up. */
  readonly held?: (call: string) => Promise<void>;
  readonly runtime?: Runtime;
  readonly agents?: Partial<AgentFactoryOptions>;
}

/** A machine is slow at times; an owner that is waited for is dead here; and no heartbeat stores what a step has to. */
const patience = {
  storeCallMs: 20_000,
  storeBudgetMs: 40_000,
  onStoreDown: 'throw',
  onBusy: 'takeOver',
  heartbeatMs: 600_000,
} as const;

/** One process at work on one thread: the same for the one that is killed and for the one that goes on. */
export function startWorld(store: Checkpointer, options: WorldOptions) {
  const { scenario, threadId, ledger, at = () => {}, runtime = systemRuntime } = options;
  const { inputs, turns } = scenarios[scenario];
  const checkpointer = withPoints(store, at, ledger);
  const script = turns.map((answer) => (request: ModelRequest) => think(request, answer, ledger, at));
  const process = startProcess(checkpointer, script, toolsOf(options), { ...patience, ...options.agents, runtime });
  const agent = process.agent(threadId);
  const { storeCallMs, storeBudgetMs } = patience;
  const threads = createThreads(checkpointer, { storeCallMs, storeBudgetMs, runtime });

  /** Whatever waits for a person is approved, until the run has ended. */
  async function approveAll(first: RunResult): Promise<RunResult> {
    let result = first;
    while (result.status === 'paused') {
      for (const { key } of result.calls) await threads.decide(threadId, key, { verdict: 'approve' });
      result = await agent.resume();
    }
    return result;
  }

  return {
    ...process,
    agent,
    threads,
    /** Sends the inputs one after the other, each under its id, so that one that was accepted before counts once. */
    async play(): Promise<void> {
      for (const input of inputs) await approveAll(await agent.run(input, { inputId: input }));
    },
    /** Goes on with the run that is open; where the thread was never stored there is nothing to go on with. */
    async resume(): Promise<void> {
      try {
        await approveAll(await agent.resume());
      } catch (error) {
        if (!isAgentStateError(error, 'not_found')) throw error;
      }
    },
  };
}

async function think(request: ModelRequest, answer: ModelAnswer, ledger: Ledger, at: At): Promise<ModelAnswer> {
  if (!isPaired(request.messages)) throw new Error('The model was shown a call without its result.');
  ledger.write({ asked: request.messages.length, by: process.pid });
  at('think.begin');
  await nextTurn();
  at('think.end');
  return answer;
}

function toolsOf({ ledger, at = () => {}, held = async () => {} }: WorldOptions): Tool[] {
  const effect = (name: string, more: Partial<Tool>): Tool => {
    const execute: Tool['execute'] = async (args, { idempotencyKey, variables }) => {
      const call = `${name} ${(args as { n: number }).n}`;
      at('tool.begin');
      await held(call);
      ledger.write({ tool: call, key: idempotencyKey, by: process.pid });
      at('tool.effect');
      variables.set(call, true);
      await nextTurn();
      at('tool.end');
      return `result of ${call}`;
    };
    return tool(name, execute, more);
  };
  return [
    effect('look', { effect: 'read' }),
    effect('put', { effect: 'idempotent' }),
    effect('pay', { effect: 'once' }),
    effect('refund', { effect: 'once', needsApproval: true }),
  ];
}

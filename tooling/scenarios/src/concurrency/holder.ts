import { type AgentFactoryOptions, type Checkpointer, isAgentStateError, type RunOptions } from '@agent-state/core';
import { calls, createGate, says, startProcess, tool } from '../agent.ts';
import { openStore } from '../open-store.ts';

/** What the model says; `held`: only when the thread is released. */
export type Turn = ({ readonly calls: readonly string[] } | { readonly says: string }) & { readonly held?: true };

/** Work on a thread; the tool `hold` ends when the thread is released. */
export interface Work {
  readonly threadId: string;
  /** Left out: the thread is resumed. */
  readonly input?: string;
  readonly onBusy?: RunOptions['onBusy'];
  readonly turns: readonly Turn[];
  readonly options?: Pick<AgentFactoryOptions, 'heartbeatMs' | 'storeCallMs' | 'storeBudgetMs'>;
}

export interface Ended {
  /** The status of the result, or the code of the error. */
  readonly outcome: string;
  readonly durable: boolean;
  /** The tools that were started, in order; and of those the ones after a save had been refused. */
  readonly ran: readonly string[];
  readonly ranLate: readonly string[];
  /** How many saves met something else than they were built on. */
  readonly conflicts: number;
  readonly events: readonly string[];
  /** The codes of the warnings. */
  readonly warnings: readonly unknown[];
}

export type Order = Work | { readonly release: string };
/** Where it is: the type of an event, `hold` or `think`. */
export type Report = { readonly threadId: string } & ({ readonly at: string } | { readonly ended: Ended });

const [, , store = '', url = ''] = process.argv;
const checkpointer = await openStore(store, url);
// Connected, before anything is timed.
await checkpointer.load('nobody');

const gates = new Map<string, ReturnType<typeof createGate>>();
const tell = (report: Report): void => void process.send?.(report);

function countingConflicts(onConflict: () => void): Checkpointer {
  return {
    ...checkpointer,
    save: (threadId, write) =>
      checkpointer.save(threadId, write).catch((error: unknown) => {
        if (isAgentStateError(error, 'conflict')) onConflict();
        throw error;
      }),
  };
}

async function work({ threadId, input, onBusy, turns, options }: Work): Promise<Ended> {
  const gate = createGate();
  gates.set(threadId, gate);
  const [ran, ranLate, events]: string[][] = [[], [], []];
  let conflicts = 0;
  const hold = async (at: string): Promise<string> => {
    tell({ threadId, at });
    await gate.passed;
    return 'held';
  };
  const noted = (name: string, act: () => unknown, more = {}) =>
    tool(
      name,
      () => {
        ran?.push(name);
        if (conflicts > 0) ranLate?.push(name);
        return act();
      },
      more,
    );
  const script = turns.map((turn) => async () => {
    if (turn.held) await hold('think');
    return 'says' in turn ? says(turn.says) : calls(...turn.calls.flatMap((name) => [name, {}]));
  });
  const tools = [
    noted('hold', () => hold('hold')),
    noted('work', () => 'worked'),
    noted('refund', () => 'refunded', { needsApproval: true }),
  ];
  const store = countingConflicts(() => {
    conflicts += 1;
  });
  const agents = startProcess(store, script, tools, {
    toolConcurrency: 1,
    // A machine is slow at times.
    storeCallMs: 20_000,
    storeBudgetMs: 40_000,
    ...options,
    onEvent({ type }) {
      events?.push(type);
      tell({ threadId, at: type });
    },
  });
  const agent = agents.agent(threadId);
  const running = input === undefined ? agent.resume() : agent.run(input, onBusy ? { onBusy } : {});
  const { outcome, durable } = await running.then(
    (result) => ({ outcome: result.status as string, durable: result.durable }),
    (error: unknown) => ({ outcome: isAgentStateError(error) ? error.code : String(error), durable: false }),
  );
  const warnings = agents.warnings.map(({ fields }) => ('code' in fields ? fields.code : undefined));
  return { outcome, durable, ran: ran ?? [], ranLate: ranLate ?? [], conflicts, events: events ?? [], warnings };
}

process.on('message', (order: Order) => {
  if ('release' in order) return gates.get(order.release)?.open();
  void work(order).then((ended) => tell({ threadId: order.threadId, ended }));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

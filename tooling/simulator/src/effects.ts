import type { Process } from './process.ts';
import type { World } from './world.ts';

export interface Start {
  readonly key: string;
  readonly threadId: string;
  readonly tool: string;
  readonly once: boolean;
}

/** Side effects, by idempotency key: what was started, and what was finished. */
export interface Effects {
  started(process: Process, start: Start): void;
  finished(key: string): void;
  hasStarted(key: string): boolean;
  isFinished(key: string): boolean;
}

/** With three attempts, and take-overs that end no attempt, no tool that kills its process gets further than this. */
const mostStarts = 8;

export function createEffects(world: World): Effects {
  const starts = new Map<string, number>();
  const finished = new Set<string>();
  return {
    started(process, start) {
      const before = starts.get(start.key) ?? 0;
      starts.set(start.key, before + 1);
      world.stats.tools += 1;
      world.trace(`${process.id} TOOL ${start.tool} ${start.threadId} ${start.key}`);
      assertMayStart(world, process, start, before);
    },
    finished: (key) => void finished.add(key),
    hasStarted: (key) => starts.has(key),
    isFinished: (key) => finished.has(key),
  };
}

function assertMayStart(world: World, process: Process, { key, threadId, tool, once }: Start, before: number): void {
  const { landings, promises } = world.ledger;
  const what = `${tool} ${key} on ${threadId} by ${process.id}`;
  if (process.closed) world.broken('closing', `${what} was started after the close`);
  if (before >= mostStarts) world.broken('attempts', `${what} was started ${before + 1} times`);
  if (once && !landings.intents.has(key)) world.broken('once', `${what} was started before that was stored`);
  if (world.tainted.has(threadId)) return;
  if (once && before > 0) world.broken('once', `${what} was started again`);
  if (promises.verdicts.get(key) === 'reject') world.broken('decisions', `${what} was started, and had been rejected`);
  if (landings.settled.has(key) && ownsNow(world, process, threadId)) {
    world.broken('results', `${what} was started by the owner, and its result is stored`);
  }
  const cancelledAt = promises.cancelledAt(landings.runs.get(key));
  const claimedAt = landings.claims.get(landings.lastClaim(process, threadId) ?? '')?.at ?? 0;
  if (claimedAt > cancelledAt)
    world.broken('cancels', `${what} was started by a later owner, and its run is cancelled`);
}

function ownsNow({ store, ledger }: World, process: Process, threadId: string): boolean {
  const claim = store.records.get(threadId)?.state.run?.claim;
  return claim !== undefined && ledger.landings.claims.get(claim)?.process === process;
}

import type { Landings } from './landings.ts';
import type { Process } from './process.ts';
import type { Promises } from './promises.ts';
import type { Scene } from './scene.ts';

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

/** What a start is judged by. */
interface Evidence extends Scene {
  readonly landings: Landings;
  readonly promises: Promises;
}

/** With three attempts, and take-overs that end no attempt, no tool that kills its process gets further than this. */
const mostStarts = 8;

export function createEffects(evidence: Evidence): Effects {
  const starts = new Map<string, number>();
  const finished = new Set<string>();
  return {
    started(process, start) {
      const before = starts.get(start.key) ?? 0;
      starts.set(start.key, before + 1);
      evidence.stats.tools += 1;
      evidence.trace(`${process.id} TOOL ${start.tool} ${start.threadId} ${start.key}`);
      assertMayStart(evidence, process, start, before);
    },
    finished: (key) => void finished.add(key),
    hasStarted: (key) => starts.has(key),
    isFinished: (key) => finished.has(key),
  };
}

function assertMayStart(
  evidence: Evidence,
  process: Process,
  { key, threadId, tool, once }: Start,
  before: number,
): void {
  const { landings, promises } = evidence;
  const what = `${tool} ${key} on ${threadId} by ${process.id}`;
  if (process.closed) evidence.broken('closing', `${what} was started after the close`);
  if (before >= mostStarts) evidence.broken('attempts', `${what} was started ${before + 1} times`);
  if (once && !landings.intents.has(key)) evidence.broken('once', `${what} was started before that was stored`);
  if (evidence.tainted.has(threadId)) return;
  if (once && before > 0) evidence.broken('once', `${what} was started again`);
  if (promises.verdicts.get(key) === 'reject')
    evidence.broken('decisions', `${what} was started, and had been rejected`);
  if (landings.settled.has(key) && ownsNow(evidence, process, threadId)) {
    evidence.broken('results', `${what} was started by the owner, and its result is stored`);
  }
  const cancelledAt = promises.cancelledAt(landings.runs.get(key));
  const claimedAt = landings.claims.get(landings.lastClaim(process, threadId) ?? '')?.at ?? 0;
  if (claimedAt > cancelledAt)
    evidence.broken('cancels', `${what} was started by a later owner, and its run is cancelled`);
}

function ownsNow({ store, landings }: Evidence, process: Process, threadId: string): boolean {
  const claim = store.records.get(threadId)?.state.run?.claim;
  return claim !== undefined && landings.claims.get(claim)?.process === process;
}

import { noRun, noThread } from '../agent/failures.ts';
import type { StorePort } from '../agent/saving/store-port.ts';
import type { Checkpoint } from '../protocol/checkpointer.ts';
import type { RunRecord, ThreadState } from '../state/schema.ts';
import { type Budgeted, withinBudget } from './budget.ts';

export interface Asking extends Budgeted {
  readonly port: StorePort;
}

/** A record to write, or the answer where none is to be written. */
export type Asked<Answer> = { readonly run: RunRecord } | { readonly answer: Answer };

const maxRequestIds = 8;

/**
 * W5 by who does not own the run: writes what `change` makes of its record, under the claim of its owner, who finds it
 * with its next save and obeys. Tried until it is stored, or `change` finds an answer; a write whose outcome is unknown
 * is looked for among the requests that the owner carries on, so none counts twice. `written` is what is then returned.
 */
export async function ask<Answer>(
  asking: Asking,
  threadId: string,
  change: (run: RunRecord, state: ThreadState) => Asked<Answer>,
  written: Answer,
): Promise<Answer> {
  const { port, runtime } = asking;
  const mine = new Set<string>();
  return withinBudget(asking, async ({ left }) => {
    const found = await port.load(threadId, left());
    if (!found.found) throw noThread(threadId);
    const { run } = found.state;
    if (!run) throw noRun(threadId);
    if (hasLanded(found, mine)) return written;
    const asked = change(run, found.state);
    if ('answer' in asked) return asked.answer;
    const id = runtime.id();
    mine.add(id);
    await port.save(threadId, requestOf(found, asked.run, id, runtime.now()), left());
    return written;
  });
}

/** Whether the record is one of those writes, or builds on one: owners carry the ids of requests on. */
export function hasLanded({ etag, state }: Checkpoint, mine: ReadonlySet<string>): boolean {
  return mine.has(etag) || (state.run?.requests.some((id) => mine.has(id)) ?? false);
}

/** The ids of the last requests, with one more. */
export function requestsWith({ requests }: RunRecord, id: string): readonly string[] {
  return [...requests, id].slice(-maxRequestIds);
}

/** Nothing but the head is new; the owner's last write stays named, so that it can tell what of its own is there. */
function requestOf(found: Checkpoint, run: RunRecord, id: string, now: number) {
  const requests = requestsWith(run, id);
  return {
    writeId: id,
    base: found,
    state: { ...found.state, run: { ...run, requests }, updated_at: new Date(now).toISOString() },
    appendedFrom: found.length,
    variablesChanged: false,
  };
}

import type { Checkpoint } from '../protocol/checkpointer.ts';
import { type AgentStateError, isAgentStateError } from '../protocol/errors.ts';
import type { Runtime } from '../protocol/runtime.ts';
import { sleep } from '../protocol/runtime.ts';
import type { RunRecord, ThreadState } from '../state/schema.ts';
import { noRun, noThread } from './failures.ts';
import { retryDelay } from './policy.ts';
import type { StorePort } from './store-port.ts';

export interface Asking {
  readonly port: StorePort;
  readonly runtime: Runtime;
  /** How long a request is tried, in milliseconds. */
  readonly budgetMs: number;
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
  { port, runtime, budgetMs }: Asking,
  threadId: string,
  change: (run: RunRecord, state: ThreadState) => Asked<Answer>,
  written: Answer,
): Promise<Answer> {
  const mine = new Set<string>();
  const end = runtime.monotonic() + budgetMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const found = await port.load(threadId, end - runtime.monotonic());
      if (!found.found) throw noThread(threadId);
      const { run } = found.state;
      if (!run) throw noRun(threadId);
      if (run.requests.some((id) => mine.has(id))) return written;
      const asked = change(run, found.state);
      if ('answer' in asked) return asked.answer;
      const id = runtime.id();
      mine.add(id);
      await port.save(threadId, requestOf(found, asked.run, id, runtime.now()), end - runtime.monotonic());
      return written;
    } catch (error) {
      const delay = retryDelay(runtime, attempt);
      if (!isRetried(error) || runtime.monotonic() + delay >= end) throw error;
      await sleep(runtime, delay);
    }
  }
}

function isRetried(error: unknown): error is AgentStateError {
  return isAgentStateError(error, 'unavailable') || isAgentStateError(error, 'conflict');
}

/** Nothing but the head is new; the owner's last write stays named, so that it can tell what of its own is there. */
function requestOf(found: Checkpoint, run: RunRecord, id: string, now: number) {
  const requests = [...run.requests, id].slice(-maxRequestIds);
  return {
    writeId: id,
    base: found,
    state: { ...found.state, run: { ...run, requests }, updated_at: new Date(now).toISOString() },
    appendedFrom: found.length,
    variablesChanged: false,
  };
}

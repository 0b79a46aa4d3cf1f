import { sleep } from '../../protocol/runtime.ts';
import type { AgentContext } from '../context.ts';
import { runAborted, threadBusy } from '../failures.ts';
import type { Saver } from '../saving/saver.ts';

/** Watches the owner of a busy thread on this process's own clock; no wall clock is read, the owner's or its own. */
export interface OwnerWatch {
  /**
   * Waits while the record stays as it is. True: it has for three heartbeats, so its owner is taken for dead. False:
   * somebody wrote. Throws `busy` when the owner lives and the wait has been long enough.
   */
  silent(etag: string): Promise<boolean>;
}

/** After so many heartbeats without a write an owner is taken for dead. */
const heartbeatsMissed = 3;

export function createOwnerWatch(
  { threadId, saver, runtime, emit, hub }: AgentContext,
  { signal }: { readonly signal: AbortSignal | undefined },
): OwnerWatch {
  let until: number | undefined;
  let lives = false;
  return {
    async silent(etag) {
      if (!saver) return true;
      const { policy } = saver;
      if (until === undefined) emit({ type: 'waiting', threadId });
      until ??= runtime.monotonic() + policy.busyWaitMs;
      let since = runtime.monotonic();
      while (runtime.monotonic() - since < heartbeatsMissed * policy.heartbeatMs) {
        if (lives && runtime.monotonic() >= until) throw threadBusy(threadId);
        await sleep(runtime, pollMs(saver), signal);
        if (signal?.aborted) throw runAborted(threadId);
        hub.assertOpen(threadId);
        const seen = await etagNow(saver, threadId);
        if (seen === etag) continue;
        lives = true;
        if (seen !== undefined) return false;
        // What cannot be looked at has not been silent.
        since = runtime.monotonic();
      }
      return true;
    },
  };
}

/** Several looks a heartbeat, not in step with anybody. */
function pollMs({ policy, runtime }: Saver): number {
  return policy.heartbeatMs * (0.15 + 0.1 * runtime.random());
}

/** Null where there is no thread, undefined where the store did not say. */
async function etagNow({ port }: Saver, threadId: string): Promise<string | null | undefined> {
  try {
    const found = await port.peek(threadId);
    return found.found ? found.etag : null;
  } catch {
    return undefined;
  }
}

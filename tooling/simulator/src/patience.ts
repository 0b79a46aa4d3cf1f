import type { Start } from './effects.ts';
import type { Landings } from './landings.ts';
import type { Process } from './process.ts';
import type { Scene, Writer } from './scene.ts';
import type { Stored } from './store.ts';

/** Whoever waits for a thread takes it from nobody who shows that he lives while his tools are at work. */
export interface Patience {
  started(process: Process, start: Start): void;
  finished(key: string): void;
  saved(threadId: string, before: Stored | undefined, after: Stored, writer: Writer): void;
}

/** Three heartbeats. */
const silenceMs = 15_000;

export function createPatience(scene: Scene, landings: Landings): Patience {
  /** The claim under which each tool at work was started. */
  const atWork = new Map<string, string | undefined>();
  const writtenAt = new Map<string, number>();
  const now = () => scene.scheduler.now();

  /** The owner before, if he lives, has written of late, and has a tool at work. */
  function disturbed(threadId: string, { state: { run } }: Stored, next: Process): Process | undefined {
    const isOpen = run?.phase === 'think' || run?.phase === 'act' || run?.phase === 'paused';
    const owner = landings.claims.get(run?.claim ?? '')?.process;
    if (!run || !isOpen || !owner || owner === next || !owner.gate.alive || owner.closing) return undefined;
    const isSilent = now() - (writtenAt.get(threadId) ?? 0) >= silenceMs;
    return !isSilent && run.calls.some(({ key }) => atWork.get(key) === run.claim) ? owner : undefined;
  }

  return {
    started: (process, { key, threadId }) => void atWork.set(key, landings.lastClaim(process, threadId)),
    finished: (key) => void atWork.delete(key),
    saved(threadId, before, { control, state }, { process, asked }) {
      const isClaim = !asked && state.run?.claim === control.etag;
      const waited = process.queued.get(threadId)?.[0]?.onBusy === 'wait';
      const owner = isClaim && waited && before && disturbed(threadId, before, process);
      if (owner && !scene.tainted.has(threadId))
        scene.broken('patience', `${process.id} waited for ${threadId}, and took it from ${owner.id} at work`);
      writtenAt.set(threadId, now());
    },
  };
}

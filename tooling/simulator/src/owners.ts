import type { Landings } from './landings.ts';
import type { Process } from './process.ts';
import type { Scene } from './scene.ts';
import { textsOf } from './texts.ts';

interface Owner {
  readonly process: Process;
  readonly threadId: string;
  /** What was stored of its run. */
  readonly texts: readonly string[];
}

/** Who owned a thread when the store lost it: as long as they live, what they had is restored or forked. */
export interface Owners {
  readonly lost: readonly Owner[];
  note(threadId: string): void;
}

export function createOwners(scene: Scene, { claims }: Landings): Owners {
  let lost: Owner[] = [];
  return {
    get lost() {
      return lost;
    },
    note(threadId) {
      // Who has brought back what was lost before, and let go of it, does not own it any more.
      lost = lost.filter((owner) => owner.threadId !== threadId);
      const record = scene.store.records.get(threadId);
      const run = record?.state.run;
      // A claim on which nothing has been built may not have been acknowledged: its writer owns nothing then.
      if (record?.control.etag === run?.claim) return;
      const claim = claims.get(run?.claim ?? '');
      if (!run || run.owner === null || !claim || !holds(scene, claim.process, threadId)) return;
      const history = scene.store.records.get(threadId)?.state.history ?? [];
      const input = history.findLastIndex(({ role }) => role === 'user');
      lost.push({ process: claim.process, threadId, texts: textsOf(history.slice(input)) });
    },
  };
}

/** Where the policy is to throw, a run ends with the outage, and nothing is kept of it. */
function holds({ policy }: Scene, { gate, factory }: Process, threadId: string): boolean {
  if (!gate.alive || policy === 'throw') return false;
  const { running, volatile } = factory.create({ threadId }).status();
  return running || volatile;
}

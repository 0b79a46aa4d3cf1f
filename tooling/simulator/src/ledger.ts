import type { Burial, StoreWrite } from '@agent-state/core';
import { createDeletes, type Deletes } from './deletes.ts';
import { createEffects, type Effects } from './effects.ts';
import { createLandings, type Landings } from './landings.ts';
import { createOwners, type Owners } from './owners.ts';
import { createPatience } from './patience.ts';
import type { Process } from './process.ts';
import { createPromises, type Promises } from './promises.ts';
import type { Scene, Writer } from './scene.ts';
import type { Stored } from './store.ts';

/** What really happened, written down outside of the system: the only truth that it is measured by. */
export interface Ledger extends Effects {
  readonly landings: Landings;
  readonly deletes: Deletes;
  readonly promises: Promises;
  readonly owners: Owners;
  saved(threadId: string, before: Stored | undefined, after: Stored, write: StoreWrite, writer: Writer): void;
  buried(threadId: string, before: Stored | undefined, burial: Burial, writer: Writer): void;
  /** An agent's process was told what is stored of the thread. */
  read(process: Process, threadId: string): void;
}

export function createLedger(scene: Scene): Ledger {
  const landings = createLandings(scene);
  const deletes = createDeletes(scene);
  const promises = createPromises(scene, deletes);
  const patience = createPatience(scene, landings);
  const effects = createEffects({ ...scene, landings, promises });
  return {
    ...effects,
    started(process, start) {
      effects.started(process, start);
      patience.started(process, start);
    },
    finished(key) {
      effects.finished(key);
      patience.finished(key);
    },
    landings,
    deletes,
    promises,
    owners: createOwners(scene, landings),
    saved(threadId, before, after, write, writer) {
      scene.stats.saves += 1;
      scene.trace(`  STORED ${threadId} ${describe(after, writer)}`);
      patience.saved(threadId, before, after, writer);
      landings.saved(threadId, before, after, write, writer);
      if (!before) deletes.created(threadId, after, writer);
    },
    buried: (...buried) => deletes.buried(...buried),
    read: (process, threadId) => deletes.read(process, threadId),
  };
}

function describe({ control, state }: Stored, { process, asked }: Writer): string {
  const { run } = state;
  const calls = run?.calls.map(({ tool, status, waits_for }) => `${tool}:${status}${waits_for ? '?' : ''}`) ?? [];
  const by = asked ? `${process.id}/${asked.kind}` : process.id;
  const what = `by ${by} ${control.etag} length ${control.length} generation ${control.generation}`;
  return `${what} run ${run?.id} ${run?.phase} claim ${run?.claim} pending ${run?.pending_inputs.length} [${calls.join(',')}]`;
}

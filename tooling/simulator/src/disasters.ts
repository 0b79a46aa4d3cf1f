import type { Plan } from './plan.ts';
import type { World } from './world.ts';

/** What the store itself loses, by mode. */
export function planDisasters(world: World, { threadIds, troubleMs }: Plan): void {
  const { random, store, mode } = world;
  const at = troubleMs * (0.2 + random.next() * 0.6);
  if (mode === 'empty') world.later(at, () => restore(world, new Map(), new Map()));
  if (mode === 'rollback') {
    world.later(at * random.next(), () => {
      const records = new Map(store.records);
      const tombstones = new Map(store.tombstones);
      world.later(at - world.scheduler.now(), () => restore(world, records, tombstones));
    });
  }
  if (mode !== 'evict') return;
  for (let count = random.between(1, 3); count > 0; count -= 1) {
    const threadId = random.pick(threadIds);
    world.later(random.next() * troubleMs, () => {
      if (!store.records.has(threadId)) return;
      taint(world, threadId);
      store.records.delete(threadId);
      world.trace(`EVICTED ${threadId}`);
    });
  }
}

function restore(world: World, records: World['store']['records'], tombstones: Map<string, string>): void {
  const { store } = world;
  world.trace('STORE ROLLED BACK');
  for (const threadId of new Set([...store.records.keys(), ...store.tombstones.keys()])) {
    const same =
      store.records.get(threadId) === records.get(threadId) &&
      store.tombstones.get(threadId) === tombstones.get(threadId);
    if (!same) taint(world, threadId);
  }
  store.records.clear();
  store.tombstones.clear();
  for (const [threadId, record] of records) store.records.set(threadId, record);
  for (const [threadId, tombstone] of tombstones) store.tombstones.set(threadId, tombstone);
}

/** From now on not all that was stored has to be there; what live owners have still has to be. */
function taint(world: World, threadId: string): void {
  world.ledger.owners.note(threadId);
  world.tainted.add(threadId);
}

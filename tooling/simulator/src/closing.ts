import type { UnsavedThread } from '@agent-state/core';
import type { Machine, Process } from './process.ts';
import { startProcess } from './start-process.ts';
import { textsOf } from './texts.ts';
import type { World } from './world.ts';

/** How long a process may still be there after it has closed: long enough to see that nothing is at work in it. */
const afterMs = 20_000;

/** Ends a process in good order, whatever it is doing, and starts another in its place. */
export function restart(world: World, machine: Machine): void {
  const { process } = machine;
  world.trace(`${process.id} closes`);
  process.closing = true;
  machine.process = startProcess(world, machine);
  void process.factory.close().then(({ unsaved }) => {
    if (!process.gate.alive) return;
    process.closed = true;
    world.trace(`${process.id} is closed, unsaved: ${unsaved.map(({ threadId }) => threadId).join(', ')}`);
    assertHandedOut(world, process, unsaved);
    world.later(afterMs, () => process.gate.kill());
  });
}

/** What it said to be in memory only is stored by now, in the thread or a fork, or was handed out. */
function assertHandedOut(world: World, process: Process, unsaved: readonly UnsavedThread[]): void {
  const { ledger, store, tainted } = world;
  const kept = new Set([
    ...ledger.landings.dropped,
    ...[...store.records.values()].flatMap(({ state }) => textsOf(state.history)),
    ...unsaved.flatMap(({ state }) => textsOf(state.history)),
  ]);
  for (const told of ledger.promises.volatile) {
    const excused = tainted.has(told.threadId) || ledger.deletes.tried.has(told.threadId);
    if (told.process !== process || excused || kept.has(told.answer)) continue;
    world.broken('closing', `"${told.answer}" of ${process.id} is neither stored nor was it handed out`);
  }
}

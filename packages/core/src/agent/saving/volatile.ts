import { isAgentStateError } from '../../protocol/errors.ts';
import type { Runtime } from '../../protocol/runtime.ts';
import type { Hold } from './hold.ts';
import { exclusively } from './save.ts';
import type { Saver } from './saver.ts';
import { createSlots, type Slots } from './slots.ts';
import { attemptSave } from './write.ts';

const firstWaitMs = 500;
const longestWaitMs = 8_000;
/** However often a save wakes it, the probe leaves the store this much time. */
const shortestWaitMs = 250;

/** How many threads try at the same time: a store that comes back is not met by all of them at once. */
const maxTrying = 16;

/** Starts the probe of a hold; `onSettled` is told when it is over. */
export function createProbes(onSettled: (hold: Hold) => void): (saver: Saver, hold: Hold) => Promise<void> {
  const slots = createSlots(maxTrying);
  return (saver, hold) => probe(saver, hold, slots, onSettled);
}

/**
 * Tries to bring the steps of a volatile hold back to the store, in one conditional write, until it succeeds or is
 * told that the thread has gone another way. Its timers do not keep the process alive.
 */
async function probe(saver: Saver, hold: Hold, slots: Slots, onSettled: (hold: Hold) => void): Promise<void> {
  const { runtime, logger } = saver;
  const { threadId } = hold;
  let wait = firstWaitMs;
  while (hold.volatile && !hold.stopped) {
    await wakeableWait(runtime, hold, wait * (0.5 + runtime.random()));
    if (hold.stopped) break;
    wait = Math.min(wait * 2, longestWaitMs);
    const steps = hold.steps.length - hold.baseSteps;
    const outcome = await slots.run(() => tryAll(saver, hold));
    if (outcome === 'down') continue;
    if (outcome === 'saved') {
      saver.emit({ type: 'rejoined', threadId, steps });
    } else {
      logger.warn({ threadId, code: codeOf(hold) }, 'The steps of the outage could not be stored.');
    }
  }
  saver.outage.delete(hold);
  if (saver.outage.size === 0 && !hold.stopped) logger.info({}, 'The outage of the store is over.');
  onSettled(hold);
}

function codeOf({ stopped }: Hold): string | undefined {
  return stopped?.code;
}

async function tryAll(saver: Saver, hold: Hold): Promise<'saved' | 'down' | 'stopped'> {
  try {
    while (!hold.stopped && hold.savedVersion < hold.version) {
      let down = false;
      await exclusively(hold, async () => {
        down = (await attemptSave(saver, hold)) !== undefined;
      });
      if (down) return 'down';
    }
    if (hold.stopped) return 'stopped';
    // At once: a step in between would take the store for down, and nobody would save it.
    hold.volatile = false;
    return 'saved';
  } catch (error) {
    // The hold is stopped and its run, if there is one, throws the reason; only what is not a reason is unexpected.
    if (isAgentStateError(error)) return 'stopped';
    throw error;
  }
}

function wakeableWait(runtime: Runtime, hold: Hold, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = runtime.after(ms, resolve, 'background');
    const earliest = runtime.monotonic() + shortestWaitMs;
    hold.wakeProbe = () => {
      if (!hold.stopped && runtime.monotonic() < earliest) return;
      cancel();
      resolve();
    };
  });
}

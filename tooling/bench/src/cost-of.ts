import type { Logger } from '@agent-state/core';
import { bytesAround, measuredSaves, type Save } from './measure.ts';
import { since } from './meter.ts';
import type { MeasuredStore } from './stores/store.ts';
import { runLoop } from './workload.ts';

/** What a long thread costs on a store. */
export interface Cost {
  readonly store: string;
  readonly callsPerSave: number;
  readonly callsPerLoad: number;
  /** Null where the loop is too short. */
  readonly bytesAtStep20: number | null;
  readonly bytesAtStep400: number | null;
  readonly bytesSent: number;
  readonly bytesKept: number;
}

const threadId = 'long-thread';
/** So many that each node of a cluster gets some: each has to be brought the scripts. */
const warmUps = Array.from({ length: 24 }, (_, index) => `warm-up-${index}`);

/** Runs the loop on the store. What is needed once, whatever is stored after, is not counted: it is done before. */
export async function costOf(
  name: string,
  store: MeasuredStore,
  { steps, logger }: { readonly steps: number; readonly logger: Logger },
): Promise<Cost> {
  const [writer, reader] = [store.open(), store.open()];
  for (const warmUp of warmUps) {
    await runLoop(writer, warmUp, { steps: 3, logger });
    await reader.load(warmUp);
  }
  const kept = await store.bytesKept();
  const start = store.meter.read();
  const saves: Save[] = [];
  await runLoop(measuredSaves(writer, store.meter, saves), threadId, { steps, logger });
  const loop = since(start, store.meter.read());
  const bytesKept = (await store.bytesKept()) - kept;
  return {
    store: name,
    callsPerSave: rounded(saves.reduce((sum, { calls }) => sum + calls, 0) / saves.length),
    callsPerLoad: await callsOfLoad(reader, store),
    bytesAtStep20: bytesAround(20, saves),
    bytesAtStep400: bytesAround(400, saves),
    bytesSent: loop.bytes,
    bytesKept,
  };
}

/** Of the whole thread, by somebody who has not seen it before. */
async function callsOfLoad(reader: ReturnType<MeasuredStore['open']>, { meter }: MeasuredStore): Promise<number> {
  const before = meter.read();
  const loaded = await reader.load(threadId);
  if (!loaded.found) throw new Error('the thread is not stored');
  return since(before, meter.read()).calls;
}

const rounded = (number: number): number => Math.round(number * 1_000) / 1_000;

import type { Checkpointer } from '@agent-state/core';
import { type Meter, type Sent, since } from './meter.ts';

export interface Save extends Sent {
  /** `current_step` of the state that was saved; 0 for the claim before the first step. */
  readonly step: number;
}

/** The checkpointer, and what each of its saves has sent. Only for saves that come one after the other. */
export function measuredSaves(checkpointer: Checkpointer, meter: Meter, saves: Save[]): Checkpointer {
  return Object.freeze<Checkpointer>({
    ...checkpointer,
    async save(threadId, write) {
      const before = meter.read();
      const position = await checkpointer.save(threadId, write);
      saves.push({ step: write.state.current_step ?? 0, ...since(before, meter.read()) });
      return position;
    },
  });
}

/**
 * What a step costs around `step`: half of the median over the Think-and-Act pairs of the eleven steps around it, for
 * the two kinds differ. Null where the loop is too short to have them.
 */
export function bytesAround(step: number, saves: readonly Save[]): number | null {
  const bytes = new Map(saves.map((save) => [save.step, save.bytes]));
  const pairs: number[] = [];
  // A Think has an odd number, its Act the next.
  for (let think = step - 5; think < step + 5; think += 2) {
    const [first, second] = [bytes.get(think), bytes.get(think + 1)];
    if (first === undefined || second === undefined) return null;
    pairs.push(first + second);
  }
  return Math.round(median(pairs) / 2);
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

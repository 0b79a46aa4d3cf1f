import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eachStore } from './grounds.ts';
import { killAndGoOn } from './round.ts';
import { victimsOn } from './victims.ts';

/** How many processes are under way at the same time. */
const width = 3;

/** Where a process may die, by the protocol's write points and the loop. Each has to have been one of the places. */
const points = ['load', 'think.begin', 'think.end', 'tool.begin', 'tool.effect', 'tool.end'].concat(
  ['W0', 'W1', 'W2', 'W3', 'W4', 'W5', 'decide', 'answer'].flatMap((kind) => [`${kind}.sent`, `${kind}.acked`]),
);

describe.each(eachStore)('on $name', ({ name, url, open }) => {
  it.skipIf(url === undefined)(
    '[A1] killed at every point of a thread in turn, another process ends it as if nothing had happened: no finished tool runs again, none that may start once starts twice, what nobody knows is said to be unknown, and the model is shown no call without its result',
    { timeout: 240_000 },
    async () => {
      const victims = victimsOn(name, String(url), width);
      const store = open();
      const died = new Set<string>();
      let rounds = 0;
      const kill = async (killAt: number | string): Promise<boolean> => {
        rounds += 1;
        // Every other time by the input's own sender, every other time by somebody who finds the run open.
        const by = rounds % 2 === 0 ? 'play' : 'resume';
        const ended = await killAndGoOn(victims, store, { scenario: 'whole', killAt, by, threadId: randomUUID() });
        died.add(ended.died);
        return ended.died !== 'ended';
      };
      let next = 1;
      const untilTheEnd = async (): Promise<void> => {
        while (await kill(next++));
      };
      await Promise.all(Array.from({ length: width }, untilTheEnd));
      // What happens side by side does not happen in the same order each time, so a point may have been missed.
      for (const point of points) if (!died.has(point)) await kill(point);
      expect(points.filter((point) => !died.has(point))).toEqual([]);
    },
  );
});

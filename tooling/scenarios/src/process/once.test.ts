import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eachStore, folder } from './grounds.ts';
import { killAndGoOn } from './round.ts';
import { victimsOn } from './victims.ts';

/** How many processes die in a store; 200 for an acceptance. */
const rounds = Number(process.env.AGENT_STATE_KILL_ROUNDS ?? 20);
/** From the load to the acknowledged answer: where a process with one call may die. */
const points = 18;
const width = 3;

/** How a round may end, by where the process died; anywhere else the call runs once, before or after. */
const ends: Readonly<Record<string, readonly string[]>> = {
  'W2.sent': ['no line, unknown', 'one line, its result'],
  'W2.acked': ['no line, unknown'],
  'tool.begin': ['no line, unknown'],
  'tool.effect': ['one line, unknown'],
  'tool.end': ['one line, unknown'],
  'W4.sent': ['one line, unknown', 'one line, its result'],
};

const linesIn = (file: string) => readFileSync(file, 'utf8').match(/"tool":"pay/g)?.length ?? 0;
const words = ['no line', 'one line'];

describe.each(eachStore.filter(({ name }) => name !== 'sqlite'))('on $name', ({ name, url, open }) => {
  it.skipIf(url === undefined)(
    `[A1] [A4] a tool that may start once and appends to a file, its process killed at every point, ${rounds} rounds: never two lines, and no line or no result stored is told as unknown`,
    { timeout: 60_000 + 3_000 * rounds },
    async () => {
      const victims = victimsOn(name, String(url), width);
      const store = open();
      const deaths = new Set<string>();
      const waiting = Array.from({ length: rounds }, (_, round) => round);
      const work = async (): Promise<void> => {
        for (let round = waiting.shift(); round !== undefined; round = waiting.shift()) {
          const threadId = randomUUID();
          const by = Math.floor(round / points) % 2 === 0 ? 'play' : 'resume';
          const killAt = 1 + (round % points);
          const { died, fates } = await killAndGoOn(victims, store, { scenario: 'once', threadId, killAt, by });
          deaths.add(died);
          const lines = words[linesIn(join(folder, threadId))];
          const end = `${lines}, ${fates[0]?.unknown ? 'unknown' : 'its result'}`;
          expect(ends[died] ?? ['one line, its result'], `killed at ${died}`).toContain(end);
        }
      };
      await Promise.all(Array.from({ length: width }, work));
      expect([...deaths]).not.toContain('ended');
      if (rounds >= points) expect([...deaths]).toEqual(expect.arrayContaining(Object.keys(ends)));
    },
  );
});

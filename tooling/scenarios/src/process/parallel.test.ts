import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eachStore, folder } from './grounds.ts';
import { goOn } from './round.ts';
import { callsOf } from './scenarios.ts';
import { victimsOn } from './victims.ts';

const all = callsOf('parallel');
/** Which of the five have ended when the process dies, in the order in which they end. */
const ended = [[], [3], [5, 1], [4, 2, 1], [1, 2, 3, 5]].map((numbers) => numbers.map((n) => `put ${n}`));

describe.each(eachStore)('on $name', ({ name, url, open }) => {
  it.skipIf(url === undefined)(
    '[A3] [S-RES-02] killed when k of five parallel calls are done, whichever they are: the others are open, and only they are run',
    { timeout: 60_000 },
    async () => {
      const victims = victimsOn(name, String(url), 1);
      const store = open();
      for (const done of ended) {
        const threadId = randomUUID();
        const ledger = join(folder, threadId);
        const victim = await victims.start({ scenario: 'parallel', threadId, ledger, begin: 'play', holds: true });
        await victim.holding(all.length);
        victim.release(...done);
        const openCalls = async () => {
          const found = await store.load(threadId);
          const calls = found.found ? (found.state.run?.calls ?? []) : [];
          return all.filter((_call, index) => !calls[index]?.result);
        };
        const rest = all.filter((call) => !done.includes(call));
        await expect.poll(openCalls, { timeout: 10_000, interval: 10 }).toEqual(rest);
        victim.signal('SIGKILL');
        await victim.end;
        const fates = await goOn(store, { scenario: 'parallel', threadId, by: 'resume' });
        expect(fates.filter(({ after }) => after > 0).map(({ call }) => call)).toEqual(rest);
        expect(fates.filter(({ before }) => before > 0).map(({ call }) => call)).toEqual(
          all.filter((call) => done.includes(call)),
        );
      }
    },
  );
});

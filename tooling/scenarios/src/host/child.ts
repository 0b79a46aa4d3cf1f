import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { calls, says, startProcess, tool } from '../agent.ts';
import { openStore } from '../open-store.ts';

/** What a child says at its end, as one line of JSON. */
export interface Told {
  /** The answer of its run, or the code of its error. */
  readonly outcome: string;
  readonly durable: boolean;
  readonly warnings: readonly { readonly message: string; readonly fields: unknown }[];
  readonly events: readonly string[];
  /** The threads that could not be stored. */
  readonly unsaved: readonly string[];
}

interface Trouble {
  readonly breakIt: () => unknown;
  readonly mend: () => unknown;
}

/** Says something and goes on when the parent has answered. */
async function ask(what: string): Promise<void> {
  console.log(what);
  const reader = createInterface({ input: process.stdin });
  await reader.question('');
  reader.close();
}

/** Opens files until the process may open no more. */
function exhaustDescriptors(taken: number[]): void {
  for (;;) {
    try {
      taken.push(openSync('/dev/null', 'r'));
    } catch {
      return;
    }
  }
}

/** Writes until nothing more fits. */
function fillDisk(path: string): void {
  for (const size of [100_000, 1_000, 1]) {
    for (;;) {
      try {
        writeFileSync(path, 'x'.repeat(size), { flag: 'a' });
      } catch {
        break;
      }
    }
  }
}

const taken: number[] = [];
const [, , kind = '', store = '', url = '', threadId = ''] = process.argv;
const filler = `${url}.filler`;
const troubles: Readonly<Record<string, Trouble>> = {
  /** The parent makes it. */
  told: { breakIt: () => ask('break it'), mend: () => ask('mend it') },
  disk: { breakIt: () => fillDisk(filler), mend: () => rmSync(filler) },
  descriptors: {
    breakIt: () => exhaustDescriptors(taken),
    mend: () => {
      for (const descriptor of taken.splice(0)) closeSync(descriptor);
    },
  },
  /** The parent makes it, and this process leaves at once. */
  leave: { breakIt: () => ask('break it'), mend: () => {} },
};
const { breakIt, mend } = troubles[kind] as Trouble;

const checkpointer = await openStore(store, url);
const deadlines = { storeCallMs: 1_000, storeBudgetMs: 1_500 };
const leaving = { started: (): void => {}, by: Promise.resolve() };
leaving.by = new Promise((resolve) => {
  leaving.started = resolve;
});
const breaking = tool('break', async () => {
  await breakIt();
  leaving.started();
  return 'broken';
});
const turns = [calls('break', {}), calls('work', {}), says('Done.')];
const agents = startProcess(checkpointer, turns, [breaking, tool('work', () => 'worked')], deadlines);

if (kind === 'descriptors') await breakIt();
const running = agents
  .agent(threadId)
  .run('Go')
  .then(
    ({ answer, durable }) => ({ outcome: String(answer), durable }),
    (error: { code?: string }) => ({ outcome: String(error.code), durable: false }),
  );
if (kind === 'leave') await leaving.by;
else await running.then(mend);
const { unsaved } = await agents.close({ deadlineMs: kind === 'leave' ? 1_000 : 20_000 });
await checkpointer.close();
const told: Told = {
  ...(await running),
  warnings: agents.warnings,
  events: agents.events.map(({ type }) => type),
  unsaved: unsaved.map((thread) => thread.threadId),
};
console.log(JSON.stringify(told));

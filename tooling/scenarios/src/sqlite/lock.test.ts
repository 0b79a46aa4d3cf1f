import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { type Script, startScript } from '@agent-state/services/children';
import { expect, it, onTestFinished } from 'vitest';
import { calls, lines, says, startProcess, told, tool } from '../agent.ts';
import { loaded } from '../stored.ts';
import { opened } from '../stores.ts';
import { comeBack, runInto } from '../volatile-run.ts';
import { openFile, ownFile } from './files.ts';

/** Another process that holds the write lock, until it is killed. */
async function lock(path: string): Promise<Script> {
  const holder = startScript(fileURLToPath(new URL('../../test/lock.mjs', import.meta.url)), path);
  onTestFinished(() => holder.kill());
  await holder.said('locked');
  return holder;
}

/**
 * Gives, when it is called, the longest time for which the event loop has stood still, in milliseconds. One turn in a
 * hundred is left out, for it is of other processes on a busy machine; a wait inside SQLite would be many long turns.
 */
function watchStandstill(): () => number {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  return () => {
    delay.disable();
    return delay.percentile(99) / 1e6;
  };
}

it('[G1] a lock that another process holds for ever is one warning, blocks nobody, and all is stored once it is gone', async () => {
  const { path } = ownFile();
  let holder: Script | undefined;
  const standstill = watchStandstill();
  const outage = await runInto({
    open: () => openFile(path),
    async breakIt() {
      holder = await lock(path);
    },
    mend: async () => holder?.kill(),
  });
  expect(standstill()).toBeLessThan(50);
  await comeBack(outage);
  expect(told(outage.process)).toEqual(['volatile', 'rejoined']);
});

it('[G1] a lock that another process holds for 3 s is waited for, without a warning and without blocking', async () => {
  const { path } = ownFile();
  const threadId = randomUUID();
  const checkpointer = opened(() => createSqliteCheckpointer({ path }));
  let releasing = Promise.resolve();
  const locks = tool('locks', async () => {
    const holder = await lock(path);
    releasing = new Promise<void>((resolve) => setTimeout(resolve, 3_000)).then(() => holder.kill());
    return 'locked';
  });
  const process = startProcess(checkpointer, [calls('locks', {}), says('Done.')], [locks]);
  const begun = performance.now();
  const standstill = watchStandstill();
  expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
  expect(standstill()).toBeLessThan(50);
  expect(performance.now() - begun).toBeGreaterThan(3_000);
  await releasing;
  expect(process.warnings).toEqual([]);
  expect(told(process)).toEqual([]);
  const { state } = await loaded(openFile(path), threadId);
  expect(lines(state.history)).toEqual([
    'system: Be helpful.',
    'user: Go',
    'assistant: null',
    'tool: locked',
    'assistant: Done.',
  ]);
});

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createThreads } from '@agent-state/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eachStore, type Ground } from './grounds.ts';
import type { Closed } from './slow/child.ts';

const program = fileURLToPath(new URL('../../dist/process/slow/child.js', import.meta.url));

/** Five threads save on a slow store when their process is asked to terminate: what it says, and what is stored. */
async function terminateWhileSaving({ name, url, open }: Ground, saveMs: number, deadlineMs: number) {
  const threadIds = Array.from({ length: 5 }, () => randomUUID());
  const args = [name, String(url), threadIds.join(), String(saveMs), String(deadlineMs)];
  const child = fork(program, args, { execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  // The cast: it was started with a pipe.
  const said = text(child.stdout as NodeJS.ReadableStream);
  const exit = once(child, 'exit');
  await once(child, 'message');
  const asked = performance.now();
  child.kill('SIGTERM');
  const [code] = await exit;
  const took = performance.now() - asked;
  const closed = JSON.parse(await said) as Closed;
  const threads = createThreads(open());
  const states = await Promise.all(threadIds.map((threadId) => threads.get(threadId)));
  return { code, took, closed, stored: threadIds.map((threadId, at) => ({ threadId, state: states[at] })) };
}

describe.each(eachStore)('a process on $name that is asked to terminate while five threads save', (ground) => {
  it.skipIf(ground.url === undefined)(
    '[A8] [S-RES-09] and whose store is slow: everything is stored when it ends',
    { timeout: 60_000 },
    async () => {
      const { code, took, closed, stored } = await terminateWhileSaving(ground, 200, 10_000);
      expect([code, closed.unsaved]).toEqual([143, []]);
      expect(took).toBeLessThan(12_000);
      for (const { state } of stored)
        expect(state).toMatchObject({ current_step: 3, run: { phase: 'done', owner: null } });
    },
  );

  it.skipIf(ground.url === undefined)(
    '[A8] [S-RES-09] and whose store is too slow for its grace time: it ends in time, and names every thread that is not stored whole',
    { timeout: 60_000 },
    async () => {
      const deadlineMs = 1_000;
      const { code, took, closed, stored } = await terminateWhileSaving(ground, 700, deadlineMs);
      expect(code).toBe(143);
      expect(took).toBeLessThan(deadlineMs + 3_000);
      expect(closed.unsaved.length).toBeGreaterThan(0);
      for (const { threadId, state } of stored) {
        const isWhole = state?.run?.owner === null && state.current_step === (closed.steps[threadId] ?? 0);
        expect(isWhole || closed.unsaved.includes(threadId)).toBe(true);
      }
    },
  );
});

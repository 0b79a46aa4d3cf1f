import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createThreads } from '@agent-state/core';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { startScript } from '@agent-state/services/children';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { lines, says, startProcess, tool } from '../agent.ts';

const program = fileURLToPath(new URL('../../dist/concurrency/worker.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agent-state-paused-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('[S-RES-08] a run that a process left paused is listed, loaded, decided, resumed and deleted by another, from its id alone', async () => {
  const threadId = randomUUID();
  const path = join(folder, 'threads.sqlite');
  const worker = startScript(program, 'sqlite', path, threadId, 'Refund it', 'asks');
  onTestFinished(() => worker.kill());
  expect(await worker.said('ended')).toBe('ended paused');
  await worker.ended();

  const store = createSqliteCheckpointer({ path });
  onTestFinished(() => store.close());
  const threads = createThreads(store);
  expect((await threads.list()).threads).toMatchObject([{ threadId, phase: 'paused', currentStep: 1 }]);
  expect((await threads.get(threadId))?.run).toMatchObject({ phase: 'paused', owner: null, pause: { kind: 'person' } });
  const [call] = await threads.pending(threadId);
  expect(await threads.decide(threadId, call?.key ?? '', { verdict: 'approve' })).toMatchObject({ counted: true });
  const refund = tool('refund', () => 'refunded here', { needsApproval: true });
  const agent = startProcess(store, [says('unused'), says('Done.')], [refund]).agent(threadId);
  expect(await agent.resume()).toMatchObject({ answer: 'Done.', durable: true });
  expect(lines((await threads.get(threadId))?.history)).toEqual([
    'system: Be helpful.',
    'user: Refund it',
    'assistant: null',
    'tool: refunded here',
    'assistant: Done.',
  ]);
  await threads.delete(threadId);
  expect([await threads.get(threadId), (await threads.list()).threads]).toEqual([undefined, []]);
});

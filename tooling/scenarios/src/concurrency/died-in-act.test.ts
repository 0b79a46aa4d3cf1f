import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createThreads, type Message, type ModelRequest } from '@agent-state/core';
import { type Script, startScript } from '@agent-state/services/children';
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { lines, says, startProcess, tool } from '../agent.ts';
import { openStore } from '../open-store.ts';
import { loaded } from '../stored.ts';
import { heartbeatMs } from './heartbeat.ts';

const program = fileURLToPath(new URL('../../dist/concurrency/worker.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agent-state-died-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = { name: 'sqlite', url: join(folder, 'threads.sqlite') };
const servers = [{ name: 'redis', url: inject('redisUrl') }, { name: 'mongo', url: inject('mongoUrl') }, file];

/** As models do: refuses a history in which a call is not followed by its result. */
function assertPaired(messages: readonly Message[]): void {
  for (const [index, { metadata }] of messages.entries()) {
    const ids = metadata?.tool_calls?.map(({ id }) => id) ?? [];
    const results = messages.slice(index + 1, index + 1 + ids.length);
    expect(results.map((message) => [message.role, message.metadata?.tool_call_id])).toEqual(
      ids.map((id) => ['tool', id]),
    );
  }
}

async function setting({ name, url }: (typeof servers)[number]) {
  const threadId = randomUUID();
  const store = await openStore(name, String(url));
  onTestFinished(() => store.close());
  const start = (input: string, how = ''): Script => {
    const worker = startScript(program, name, String(url), threadId, input, how);
    onTestFinished(() => worker.kill());
    return worker;
  };
  const stored = async () => (await loaded(store, threadId)).state;
  /** In its tools, of which one has a result that is stored. */
  const startAndWork = async () => {
    const worker = start('Go');
    await worker.said('tool stuck');
    const statuses = async () => (await stored()).run?.calls.map(({ status }) => status);
    await expect.poll(statuses, { timeout: 10_000 }).toEqual(['planned', 'done']);
    return worker;
  };
  const ran: string[] = [];
  const tools = ['stuck', 'quick'].map((each) => tool(each, () => `${each} again: ${ran.push(each)}`));
  const answer = ({ messages }: ModelRequest) => {
    assertPaired(messages);
    return says('Done.');
  };
  const turns = [says('unused'), answer];
  const agent = startProcess(store, turns, tools, { heartbeatMs, maxAttempts: 9 }).agent(threadId);
  return { threadId, threads: createThreads(store), start, startAndWork, agent, ran, stored };
}

const before = ['system: Be helpful.', 'user: Go', 'assistant: null'];

describe.each(servers.filter(({ url }) => url !== undefined))(
  'on $name, a process that died in its tools',
  (server) => {
    it('[E19] before an input of another process: that follows the results, which are in the order of the calls', async () => {
      const { startAndWork, agent, ran, stored } = await setting(server);
      await (await startAndWork()).kill();
      expect(await agent.run('And more')).toMatchObject({ answer: 'Done.', durable: true });
      expect(lines((await stored()).history)).toEqual([
        ...before,
        'tool: stuck again: 1',
        'tool: quick',
        'user: And more',
        'assistant: Done.',
      ]);
      expect(ran).toEqual(['stuck']);
    });
  },
);

describe('a process that died in its tools', () => {
  it('[E24] and two more that took an input each and died: both inputs are there once, in order, after the results', async () => {
    const { start, startAndWork, agent, ran, stored } = await setting(file);
    await (await startAndWork()).kill();
    for (const input of ['First', 'Second']) {
      const worker = start(input, 'claimed');
      await worker.said('claimed');
      await worker.kill();
      expect(worker.lines).toEqual(['claimed']);
    }
    expect((await stored()).run?.pending_inputs.map(({ content }) => content)).toEqual(['First', 'Second']);
    expect(await agent.resume()).toMatchObject({ answer: 'Done.', durable: true });
    expect(lines((await stored()).history)).toEqual([
      ...before,
      'tool: stuck again: 1',
      'tool: quick',
      'user: First',
      'user: Second',
      'assistant: Done.',
    ]);
    expect(ran).toEqual(['stuck']);
  });

  it('[E26] after its run was cancelled and another took an input: no tool of the cancelled run starts', async () => {
    const { threadId, threads, start, startAndWork, agent, ran, stored } = await setting(file);
    const worker = await startAndWork();
    expect(await threads.cancel(threadId)).toBe(true);
    expect(await worker.said('ended')).toBe('ended aborted');
    const next = start('Next', 'claimed');
    await next.said('claimed');
    await next.kill();
    expect((await stored()).run).toMatchObject({ phase: 'act', settle: 'none', owner: expect.any(String) });
    expect(await agent.resume()).toMatchObject({ answer: 'Done.', durable: true });
    expect(lines((await stored()).history)).toEqual([
      ...before,
      'tool: Unknown: this call may or may not have run; its result was lost.',
      'tool: quick',
      'user: Next',
      'assistant: Done.',
    ]);
    expect([ran, next.lines]).toEqual([[], ['claimed']]);
  });
});

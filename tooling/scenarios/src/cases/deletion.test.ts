import { createThreads } from '@agent-state/core';
import type { RedisServer } from '@agent-state/services';
import { describe, expect, it, onTestFinished } from 'vitest';
import { calls, lines, says, startProcess, tool } from '../agent.ts';
import { open, ownRedis } from '../redis/support.ts';

const redis = await ownRedis();

describe.skipIf(!redis)('on Redis, a thread that is deleted', () => {
  const server = redis as RedisServer;
  const marked = 'to-be-forgotten';

  async function stored(threadId: string) {
    const store = open(server);
    const remember = tool('remember', (_args, { variables }) => {
      variables.set(marked, marked);
      return marked;
    });
    const turns = [calls('remember', { text: marked }), says(marked)];
    await startProcess(store, turns, [remember])
      .agent(threadId)
      .run([{ type: 'text', text: marked }]);
    return createThreads(store);
  }

  it('[S-DEL-01] leaves its id with a random mark that expires, and nothing else in the whole database', async () => {
    await server.command('FLUSHALL');
    const threads = await stored('t');
    expect(String(await server.command('HGETALL', 'agent_checkpoints:{t}'))).toContain(marked);
    await threads.delete('t');
    expect(await server.command('KEYS', '*')).toEqual(['agent_checkpoints:{t}:deleted']);
    const mark = String(await server.command('GET', 'agent_checkpoints:{t}:deleted'));
    expect(mark).toMatch(/^[\w-]{10,40}$/);
    expect(Number(await server.command('PTTL', 'agent_checkpoints:{t}:deleted'))).toBeGreaterThan(6 * 24 * 3_600_000);
  });

  it('[S-DEL-03] while the server refuses writes is not said to be deleted, and is still there', async () => {
    const threads = await stored('u');
    const before = lines((await threads.get('u'))?.history);
    onTestFinished(async () => void (await server.command('REPLICAOF', 'NO', 'ONE')));
    await server.command('REPLICAOF', '127.0.0.1', '1');
    await expect(threads.delete('u')).rejects.toMatchObject({ code: 'unavailable', applied: 'no', threadId: 'u' });
    await server.command('REPLICAOF', 'NO', 'ONE');
    expect(lines((await threads.get('u'))?.history)).toEqual(before);
    await threads.delete('u');
    expect(await threads.get('u')).toBeUndefined();
  });
});

import { setTimeout as wait } from 'node:timers/promises';
import { createThreads } from '@agent-state/core';
import type { RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { calls, lines, says, startProcess, told, tool } from '../agent.ts';
import { deadlines, longestMs } from '../deadlines.ts';
import { open, ownRedis } from './support.ts';

const redis = await ownRedis();

describe.skipIf(!redis)('an event loop that a tool keeps busy', () => {
  const server = redis as RedisServer;

  it('[A9] for longer than all deadlines is no outage: the answers were there, only nobody could read them', async () => {
    const store = open(server);
    const quick = tool('quick', () => 'quick');
    const busy = tool('busy', async () => {
      // By now the other call's result is on its way to the store.
      await wait(1);
      const end = performance.now() + longestMs + 500;
      while (performance.now() < end);
      return 'busy';
    });
    const turns = [calls('quick', {}, 'busy', {}), says('Done.')];
    const process = startProcess(store, turns, [quick, busy], { ...deadlines, heartbeatMs: 1_000 });
    expect(await process.agent('t').run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expect([process.warnings, told(process)]).toEqual([[], []]);
    const { history = [] } = (await createThreads(store).get('t')) ?? {};
    expect(lines(history)?.slice(3)).toEqual(['tool: quick', 'tool: busy', 'assistant: Done.']);
  });
});

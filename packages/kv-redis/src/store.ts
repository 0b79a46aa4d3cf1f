import type { CheckpointStore } from '@agent-state/core';
import { buryArguments, readArguments, saveArguments, stepsArguments } from './arguments.ts';
import type { RedisConnection } from './connection.ts';
import { keysOf } from './keys.ts';
import type { Settings } from './options.ts';
import { toHead, toSteps, toThread } from './replies.ts';
import { buryScript, loadScript, peekScript, type Script, saveScript, stepsScript } from './scripts.ts';

/** Every method is one script on the thread's two keys: one round trip, all or nothing. */
export function createRedisStore(
  connection: RedisConnection,
  { namespace, maxMessageBytes }: Pick<Settings, 'namespace' | 'maxMessageBytes'>,
): CheckpointStore {
  const run = (script: Script, threadId: string, args: readonly string[]) =>
    connection.run(script, threadId, keysOf(namespace, threadId), args);
  return {
    name: 'redis',
    capabilities: {
      conditional: true,
      tombstones: true,
      appends: true,
      steps: true,
      list: false,
      query: false,
      durable: true,
      ttlResolutionMs: 1,
      maxStateBytes: Number.POSITIVE_INFINITY,
      maxMessageBytes,
    },
    load: async (threadId) => toThread(await run(loadScript, threadId, readArguments)),
    peek: async (threadId) => toHead(await run(peekScript, threadId, readArguments)),
    async save(threadId, write) {
      const reply = await run(saveScript, threadId, saveArguments(write));
      return isSaved(reply) ? { saved: true } : { saved: false, found: toHead(reply) };
    },
    bury: async (threadId, burial) => (await run(buryScript, threadId, buryArguments(burial))) === 1,
    async steps(threadId, { from, limit }) {
      return toSteps(threadId, await run(stepsScript, threadId, stepsArguments(from, limit)), from);
    },
    reset: () => connection.reset(),
    close: () => connection.close(),
  };
}

function isSaved(reply: unknown): boolean {
  return Array.isArray(reply) && reply[0] === 2;
}

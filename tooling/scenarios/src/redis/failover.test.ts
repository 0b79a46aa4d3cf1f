import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isMissing, type RedisServer, startRedis } from '@agent-state/services';
import { expect, it, onTestFinished, type TestContext } from 'vitest';
import { lines } from '../agent.ts';
import { loaded } from '../stored.ts';
import { expectQuiet, expectWhole, takenOverHistory, takeOver, troubled } from '../troubled.ts';
import { keyOf, open } from './support.ts';

/** A primary and its replica, which the address of the primary can move to. */
async function startPair({ skip }: TestContext) {
  const start = async (...args: string[]): Promise<RedisServer> => {
    const server = await startRedis({ args });
    if (isMissing(server)) return skip(server.missing);
    onTestFinished(() => server.stop());
    return server;
  };
  const primary = await start('--repl-diskless-sync-delay', '0');
  const replica = await start('--replicaof', '127.0.0.1', String(primary.port));
  const control = (server: RedisServer, threadId: string) => server.command('HGET', keyOf(threadId), 'control');
  return {
    primary,
    /** What is acknowledged from now on is on the old primary alone. */
    part: async (threadId: string) => {
      const acknowledged = await control(primary, threadId);
      await expect.poll(() => control(replica, threadId), { timeout: 20_000 }).toEqual(acknowledged);
      await replica.command('REPLICAOF', 'NO', 'ONE');
    },
    failOver: async () => {
      await primary.kill();
      await replica.command('CONFIG', 'SET', 'port', String(primary.port));
    },
  };
}

it('[B26] a failover that loses acknowledged saves is met by their writer, who sends all of them again', async (context) => {
  const { primary, part, failOver } = await startPair(context);
  const threadId = randomUUID();
  const process = troubled(open(primary), { first: () => part(threadId), second: failOver });
  expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
  expectQuiet(process, ['rolled_back']);
  await expectWhole(open(primary), threadId);
});

it('[B26] what another process has written since the failover is not overwritten by the old writer', async (context) => {
  const { primary, part, failOver } = await startPair(context);
  const threadId = randomUUID();
  const other = async () => {
    await failOver();
    await takeOver(open(primary), threadId);
  };
  const process = troubled(open(primary), { first: () => part(threadId), second: other });
  await expect(process.agent(threadId).run('Go')).rejects.toMatchObject({ code: 'taken_over' });
  expect(lines((await loaded(open(primary), threadId)).state.history)).toEqual(takenOverHistory);
});

it('[B26] the README says that a failover can lose what was acknowledged', async () => {
  const readme = await readFile(new URL('../../../../packages/kv-redis/README.md', import.meta.url), 'utf8');
  expect(readme).toMatch(/failover can lose acknowledged saves/);
});

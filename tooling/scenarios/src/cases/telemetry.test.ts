import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { AgentFactoryOptions, Logger } from '@agent-state/core';
import type { RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { calls, says, startProcess, tool } from '../agent.ts';
import { deadlines } from '../deadlines.ts';
import { open, ownRedis } from '../redis/support.ts';
import { opened, stores } from '../stores.ts';

const secret = 'S3CRET';
const redis = await ownRedis();

it.skipIf(!redis)(
  '[S-OBS-02] a save that fails shows no content, variable, profile or password, wherever one looks',
  async () => {
    const server = redis as RedisServer;
    const { host } = new URL(server.url);
    await server.command('ACL', 'SETUSER', 'somebody', 'on', `>${secret}`, '~*', '+@all');
    const told: unknown[] = [];
    const tell = (...said: unknown[]) => void told.push(said);
    const breaks = tool('breaks', async (_args, { variables }) => {
      variables.set(`${secret} variable`, secret);
      await server.command('REPLICAOF', '127.0.0.1', '1');
      return secret;
    });
    const options: Partial<AgentFactoryOptions> = {
      ...deadlines,
      profiles: { [secret]: { name: secret, systemPrompt: secret, tools: ['breaks'] } },
      defaultProfile: secret,
      logger: { info: tell, warn: tell, error: tell },
      onEvent: tell,
    };
    const turns = [calls('breaks', { [secret]: secret }), says(secret)];
    for (const onStoreDown of ['volatile', 'throw'] as const) {
      const store = open(
        { url: `redis://somebody:${secret}@${host}` },
        { logger: { info: tell, warn: tell, error: tell } },
      );
      const process = startProcess(store, turns, [breaks], { ...options, onStoreDown });
      const agent = process.agent(randomUUID());
      const outcome = await agent.run(secret).then(
        ({ durable }) => durable,
        (error: unknown) => error,
      );
      expect(outcome).toEqual(onStoreDown === 'volatile' ? false : expect.objectContaining({ code: 'unavailable' }));
      tell(outcome, agent.status());
      await server.command('REPLICAOF', 'NO', 'ONE');
      await process.close({ deadlineMs: 20_000 });
    }
    const wrong = open({ url: `redis://somebody:${secret}+@${host}` });
    const refused: unknown = await wrong.load('t').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'denied' });
    expect(told.length).toBeGreaterThan(10);
    expect(inspect([told, refused], { depth: 20, showHidden: true })).not.toContain(secret);
  },
);

describe.each(stores)('on %s', (_name, openStore) => {
  it('[S-OBS-04] listeners and loggers that fail are reported at most once, and runs, deletes and close succeed', async () => {
    const errors: string[] = [];
    const broken = () => {
      throw new Error('telemetry');
    };
    const later = async () => broken();
    for (const fail of [broken, later as () => never]) {
      for (const logger of [{ info: fail, warn: fail, error: fail }, counting(errors)]) {
        const threadId = randomUUID();
        const process = startProcess(opened(openStore), [calls('work', {}), says('Done.')], [tool('work', () => 1)], {
          logger,
          onEvent: fail,
        });
        const agent = process.agent(threadId);
        expect(await agent.run('Go')).toMatchObject({ answer: 'Done.', durable: true });
        await agent.checkpointer.delete(threadId);
        expect(await process.close()).toEqual({ unsaved: [] });
      }
    }
    // A rejection that nobody handles would fail this file.
    await new Promise(setImmediate);
    expect(errors).toHaveLength(2);
  });
});

function counting(errors: string[]): Logger {
  return { info() {}, warn() {}, error: (_fields, message) => void errors.push(message) };
}

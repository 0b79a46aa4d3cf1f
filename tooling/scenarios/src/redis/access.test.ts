import { randomUUID } from 'node:crypto';
import type { RedisServer } from '@agent-state/services';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { startProcess } from '../agent.ts';
import { loaded } from '../stored.ts';
import { expectQuiet, expectWhole, troubled } from '../troubled.ts';
import { comeBack, runInto } from '../volatile-run.ts';
import { open, ownRedis } from './support.ts';

const redis = await ownRedis();

describe.skipIf(!redis)('rights and scripts', () => {
  const server = redis as RedisServer;
  const mayAll = () => server.command('ACL', 'SETUSER', 'default', '+@all');
  const mayNot = (...commands: string[]) =>
    server.command('ACL', 'SETUSER', 'default', ...commands.map((command) => `-${command}`));
  const wantPassword = () => server.command('CONFIG', 'SET', 'requirepass', 'pw');
  async function asAdmin(...command: [string, ...string[]]) {
    const admin = new Redis(server.port, { password: 'pw' });
    await admin.call(...command);
    admin.disconnect();
  }
  const wantNoPassword = () => asAdmin('CONFIG', 'SET', 'requirepass', '');
  afterEach(mayAll);

  it.each([
    ['the right to write', () => mayNot('hset'), mayAll],
    ['the right to run scripts', () => mayNot('evalsha', 'eval'), mayAll],
    [
      'a password that it has not got',
      async () => {
        await wantPassword();
        await asAdmin('CLIENT', 'KILL', 'TYPE', 'normal');
      },
      wantNoPassword,
    ],
  ])(
    '[B27] a run that suddenly lacks %s ends as denied: no outage, and what is stored stays',
    async (_, deny, permit) => {
      const threadId = randomUUID();
      const process = troubled(open(server), { first: deny });
      await expect(process.agent(threadId).run('Go')).rejects.toMatchObject({ code: 'denied' });
      expectQuiet(process);
      expect(process.agent(threadId).status()).toMatchObject({ volatile: false });
      await permit();
      expect(await loaded(open(server), threadId)).toMatchObject({ revision: 2 });
      expect(await process.agent(threadId).resume()).toMatchObject({ answer: 'Done.', durable: true });
      await expectWhole(open(server), threadId);
    },
  );

  it('[B27] a password that is wanted from now on does not disturb a connection that is open', async () => {
    const threadId = randomUUID();
    const process = troubled(open(server), { first: wantPassword, second: wantNoPassword });
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process);
    await expectWhole(open(server), threadId);
  });

  it.each([
    ['[B27] without the right to write', ['hset']],
    ['[B34] without the right to run scripts', ['evalsha', 'eval']],
    ['[B34] without the right to send a script that the server does not know', ['eval']],
  ])('%s, a first run is denied before the model is asked', async (_, commands) => {
    await server.command('SCRIPT', 'FLUSH');
    await mayNot(...commands);
    const process = startProcess(open(server), [() => expect.fail('the model was asked')]);
    await expect(process.agent(randomUUID()).run('Go')).rejects.toMatchObject({ code: 'denied' });
    expectQuiet(process);
  });

  it('[B34] scripts that the server loses in mid-run are sent again, without an outage', async () => {
    const threadId = randomUUID();
    const flush = () => server.command('SCRIPT', 'FLUSH');
    const process = troubled(open(server), { first: flush, second: flush });
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process);
    await expectWhole(open(server), threadId);
  });

  it('[B34] a server that is busy with somebody’s long script is an outage', async () => {
    await server.command('CONFIG', 'SET', 'busy-reply-threshold', '10');
    let endless: Promise<unknown> = Promise.resolve();
    const outage = await runInto({
      open: () => open(server),
      async breakIt() {
        endless = server.command('EVAL', 'while true do end', '0').catch(() => {});
        await expect.poll(() => server.command('PING').catch(String)).toContain('BUSY');
      },
      mend: () => server.command('SCRIPT', 'KILL'),
    });
    expect(outage.process.warnings[0]?.fields).toMatchObject({ cause: expect.stringMatching('BUSY') });
    await comeBack(outage);
    await endless;
  });
});

import { randomUUID } from 'node:crypto';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import { type RedisServer, startProxy, type TcpProxy } from '@agent-state/services';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { says, startProcess, told } from '../agent.ts';
import { deadlines, longestMs } from '../deadlines.ts';
import { loaded } from '../stored.ts';
import { expectQuiet, expectWhole, troubled } from '../troubled.ts';
import { comeBack, runInto } from '../volatile-run.ts';
import { open, ownRedis } from './support.ts';

const redis = await ownRedis();
const isScript = (request: Buffer) => request.includes('evalsha');
const garbage = '!!garbage!!\r\n';

describe.skipIf(!redis)('on a bad wire', () => {
  const server = redis as RedisServer;

  async function proxied() {
    const proxy = await startProxy(server.port);
    onTestFinished(() => proxy.stop());
    const url = `redis://127.0.0.1:${proxy.port}`;
    return { proxy, url, threadId: randomUUID(), openOwn: () => open({ url }) };
  }

  it('[B20] a reply that drips is only slow where it is short, and late by its total time where it is long, never cut', async () => {
    const { proxy, threadId, openOwn } = await proxied();
    const checkpointer = openOwn();
    const slow = troubled(checkpointer, { first: () => proxy.drip({ bytes: 1, ms: 2 }) });
    expect(await slow.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(slow);

    const late = startProcess(checkpointer, [says('From scratch.')], [], deadlines);
    const begun = performance.now();
    expect(await late.agent(threadId).run('Again')).toMatchObject({ answer: 'From scratch.', durable: false });
    expect(performance.now() - begun).toBeLessThan(longestMs + 2_000);
    expect(late.warnings).toHaveLength(1);
    await proxy.pass();
    await late.close({ deadlineMs: 20_000 });
    expect(told(late).slice(0, 2)).toEqual(['volatile', 'diverged']);
    await expectWhole(open(server), threadId);
  });

  it('[B21] a reply that is held back is an outage, made up for when it is released, and the late reply is ignored', async () => {
    const { proxy, openOwn } = await proxied();
    const breakIt = async () => stallBehindNextScript(proxy);
    const outage = await runInto({ open: openOwn, breakIt, mend: () => proxy.pass() });
    await comeBack(outage);
    expect(told(outage.process)).toEqual(['volatile', 'rejoined']);
  });

  it('[B21] a late reply on a connection that stays open, for its client was given, answers no later call', async () => {
    const { proxy, url } = await proxied();
    const client = new Redis(url, { lazyConnect: true });
    onTestFinished(() => client.disconnect());
    const openGiven = () => createRedisCheckpointer({ client, connectTimeoutMs: 900, commandTimeoutMs: 900 });
    const breakIt = async () => stallBehindNextScript(proxy);
    const outage = await runInto({ open: openGiven, breakIt, mend: () => proxy.pass() });
    await comeBack(outage);
    expect(await openGiven().load('never')).toEqual({ found: false, tombstone: null });
    expect(told(outage.process)).toEqual(['volatile', 'rejoined']);
  });

  it('[B22] garbage in place of one reply costs that client, and no outage: a new one finds what was saved', async () => {
    const { proxy, threadId, openOwn } = await proxied();
    const process = troubled(openOwn(), { first: () => void proxy.replaceReply(garbage, isScript) });
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process);
    expect(await loaded(open(server), threadId)).toMatchObject({ revision: 6 });
    await expectWhole(open(server), threadId);
  });

  it('[B22] nothing but garbage is an outage, and over when the replies can be read again', async () => {
    const { proxy, openOwn } = await proxied();
    const shots: ReturnType<TcpProxy['replaceReply']>[] = [];
    const outage = await runInto({
      open: openOwn,
      breakIt: async () => shots.push(...Array.from({ length: 100 }, () => proxy.replaceReply(garbage, isScript))),
      mend: async () => shots.map((shot) => shot.cancel()),
    });
    await comeBack(outage);
    expect(told(outage.process)).toEqual(['volatile', 'rejoined']);
  });

  it('[B23] a connection that turns out dead when it is needed costs one retry, and no outage', async () => {
    const { proxy, threadId, openOwn } = await proxied();
    const process = troubled(openOwn(), { first: () => void shots.push(proxy.resetNext(isScript)) });
    const shots: ReturnType<TcpProxy['resetNext']>[] = [];
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    shots.push(proxy.resetNext(isScript));
    expect(await process.agent(threadId).run('And now?')).toMatchObject({ answer: 'Still here.', durable: true });
    await Promise.all(shots.map(({ fired }) => fired));
    expectQuiet(process);
    // As without the resets: W0 and five steps, W0 and one.
    expect(await loaded(open(server), threadId)).toMatchObject({ revision: 8 });
    await expectWhole(open(server), threadId, ['user: And now?', 'assistant: Still here.']);
  });
});

/** The next save reaches the server; its reply, and everything after it, waits in the proxy. */
function stallBehindNextScript(proxy: TcpProxy): void {
  let seen = false;
  // A fault that hits nothing: it only sees the requests that are forwarded.
  proxy.resetNext((request) => {
    if (!seen && isScript(request)) proxy.stall();
    seen ||= isScript(request);
    return false;
  });
}

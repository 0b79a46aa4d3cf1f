import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { type MongoServer, startProxy, type TcpProxy } from '@agent-state/services';
import { MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lines, says, startProcess, told } from '../agent.ts';
import { deadlines, longestMs } from '../deadlines.ts';
import { loaded } from '../stored.ts';
import { expectQuiet, expectWhole, troubled } from '../troubled.ts';
import { comeBack, runInto } from '../volatile-run.ts';
import { open, openGiven, ownMongo } from './support.ts';

const mongo = await ownMongo();
/** The writes of a thread, and nothing that a client sends of its own accord. */
const isWrite = (request: Buffer) =>
  request.includes('owner_write') && /(insert|update)\0/.test(request.toString('latin1'));

/** The server refuses that to whoever has a session himself; an unacknowledged write has none. */
async function forgetSessions({ url }: MongoServer): Promise<void> {
  const client = new MongoClient(url);
  const sessions = client.db('config').collection('transactions');
  await sessions.deleteMany({}, { writeConcern: { w: 0 } });
  await expect.poll(() => sessions.countDocuments(), { timeout: 10_000 }).toBe(0);
  await client.close();
}

describe.skipIf(!mongo)('a wire to MongoDB', () => {
  const server = mongo as MongoServer;
  const urlAt = (port: number, more = '') => `mongodb://127.0.0.1:${port}/?directConnection=true${more}`;

  async function proxied() {
    const proxy = await startProxy(server.port);
    onTestFinished(() => proxy.stop());
    return { proxy, threadId: randomUUID() };
  }

  /** Accepts everybody and answers nobody, until it is told to hand on to the server. */
  async function silent() {
    let answers = false;
    const listener = createServer((client) => {
      client.on('error', () => {});
      if (!answers) return;
      const target = createConnection({ port: server.port, host: '127.0.0.1' });
      target.on('error', () => {});
      client.pipe(target).pipe(client);
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    onTestFinished(() => void listener.close());
    const { port } = listener.address() as AddressInfo;
    return { url: urlAt(port), answer: () => (answers = true) };
  }

  it('[C2] that is accepted and never answered costs no more than the deadlines, and all is stored when it is', async () => {
    const threadId = randomUUID();
    const { url, answer } = await silent();
    const process = startProcess(open({ url }), [says('Hello.')], [], deadlines);
    const begun = performance.now();
    expect(await process.agent(threadId).run('Hi')).toMatchObject({ answer: 'Hello.', durable: false });
    expect(performance.now() - begun).toBeLessThan(longestMs + 2_000);
    expect(process.warnings).toHaveLength(1);
    answer();
    expect(await process.close({ deadlineMs: 20_000 })).toEqual({ unsaved: [] });
    expect(told(process)).toEqual(['volatile', 'rejoined']);
    const { state } = await loaded(open(server), threadId);
    expect(lines(state.history)).toEqual(['system: Be helpful.', 'user: Hi', 'assistant: Hello.']);
  });

  it('[C2] that falls silent during a run is an outage, and over when it is heard again', async () => {
    const { proxy } = await proxied();
    const outage = await runInto({
      open: () => open({ url: urlAt(proxy.port) }),
      breakIt: async () => proxy.stall(),
      mend: () => proxy.pass(),
    });
    await comeBack(outage);
    expect(told(outage.process)).toEqual(['volatile', 'rejoined']);
  });

  const losesNext = (proxy: TcpProxy) => void proxy.swallowReply(isWrite);

  it('[C4] on which the acknowledgement of every write is lost, without the driver’s retries: each was done, and is done once', async () => {
    const { proxy, threadId } = await proxied();
    for (let write = 1; write <= 6; write += 1) losesNext(proxy);
    const process = troubled(open({ url: urlAt(proxy.port) }), { first: () => {} });
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process);
    expect(await loaded(open(server), threadId)).toMatchObject({ revision: 6 });
    await expectWhole(open(server), threadId);
  });

  it('[C4] on which every acknowledgement is lost, with the driver’s retries: each write is done once', async () => {
    const { proxy, threadId } = await proxied();
    const { client, checkpointer } = openGiven(urlAt(proxy.port, '&retryWrites=true'));
    let sent = 0;
    client.on('commandStarted', ({ commandName }) => (sent += Number(['insert', 'update'].includes(commandName))));
    for (let write = 1; write <= 6; write += 1) {
      losesNext(proxy);
      proxy.passNext(isWrite);
    }
    const process = troubled(checkpointer, { first: () => {} });
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expect(sent).toBe(12);
    expectQuiet(process);
    expect(await loaded(open(server), threadId)).toMatchObject({ revision: 6 });
    await expectWhole(open(server), threadId);
  });

  it('[C4] on which an acknowledgement is lost, and the server has forgotten its sessions when the driver retries: done once', async () => {
    const { proxy, threadId } = await proxied();
    const { client, checkpointer } = openGiven(urlAt(proxy.port, '&retryWrites=true'));
    const modified: unknown[] = [];
    client.on('commandSucceeded', ({ commandName, reply }) => {
      if (commandName === 'update') modified.push((reply as { nModified?: unknown }).nModified);
    });
    const revision = async () => (await loaded(open(server), threadId)).revision;
    /** The answer to the next write waits, and is lost when the server knows of no session any more. */
    const forgetful = async () => {
      const before = await revision();
      proxy.swallowReply((request) => {
        if (!isWrite(request)) return false;
        proxy.stall();
        void loseWhenDone(before);
        return true;
      });
    };
    const loseWhenDone = async (before: number) => {
      await expect.poll(revision, { timeout: 10_000 }).toBe(before + 1);
      await forgetSessions(server);
      await proxy.pass();
    };
    const process = troubled(checkpointer, { first: forgetful, second: forgetful });
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expect(modified.filter((count) => count === 0)).toHaveLength(2);
    expectQuiet(process);
    expect(await loaded(open(server), threadId)).toMatchObject({ revision: 6 });
    await expectWhole(open(server), threadId);
  });
});

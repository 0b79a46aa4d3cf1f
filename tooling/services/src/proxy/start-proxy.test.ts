import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { startProxy, type TcpProxy } from './start-proxy.ts';

/** What the target got, and a target that answers each request with the same in capitals. */
let got = '';
let proxy: TcpProxy;
const target = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (request) => {
    got += request;
    socket.write(String(request).toUpperCase());
  });
});

beforeEach(async () => {
  got = '';
  const port = await freePort();
  await once(target.listen(port, '127.0.0.1'), 'listening');
  proxy = await startProxy(port);
});

afterEach(async () => {
  await proxy.stop();
  await new Promise((resolve) => target.close(resolve));
});

async function connect(): Promise<Socket> {
  const socket = createConnection(proxy.port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function ask(socket: Socket, request: string): Promise<string> {
  socket.write(request);
  const [reply] = await once(socket, 'data');
  return String(reply);
}

/** What arrives before the connection breaks, and the error's code. */
async function broken(socket: Socket): Promise<[string, string | undefined]> {
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  const [error] = await once(socket, 'error');
  return [received, error.code];
}

describe('a proxy', () => {
  test('passes everything both ways and counts the bytes of each', async () => {
    const socket = await connect();
    expect(await ask(socket, 'hello')).toBe('HELLO');
    expect([proxy.sentBytes, proxy.receivedBytes]).toEqual([5, 5]);
    socket.destroy();
  });

  test('passes on that a side has ended, after its last bytes', async () => {
    const socket = await connect();
    socket.end('bye');
    const [reply] = await once(socket, 'data');
    expect(String(reply)).toBe('BYE');
    await once(socket, 'end');
  });

  test('refusing resets open connections and refuses new ones, until it passes again', async () => {
    const socket = await connect();
    const end = broken(socket);
    await proxy.refuse();
    expect((await end)[1]).toBe('ECONNRESET');
    await expect(connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.pass();
    const again = await connect();
    expect(await ask(again, 'x')).toBe('X');
    again.destroy();
  });

  test('stalling keeps requests back and the connection open; both arrive when it passes again', async () => {
    const socket = await connect();
    proxy.stall();
    const reply = ask(socket, 'later');
    expect(await Promise.race([reply, new Promise((resolve) => setTimeout(resolve, 50, 'silence'))])).toBe('silence');
    expect(got).toBe('');
    await proxy.pass();
    expect(await reply).toBe('LATER');
    socket.destroy();
  });

  test('a swallowed reply: the target did it, the client sees a reset', async () => {
    const socket = await connect();
    const shot = proxy.swallowReply();
    socket.write('do it');
    expect(await broken(socket)).toEqual(['', 'ECONNRESET']);
    await shot.fired;
    expect(got).toBe('do it');
  });

  test('a reset request: the target never sees it', async () => {
    const socket = await connect();
    proxy.resetNext();
    socket.write('do it');
    expect(await broken(socket)).toEqual(['', 'ECONNRESET']);
    expect(got).toBe('');
  });

  test.each([0, 1, 4, 5])('of a reply limited to %i bytes, exactly those arrive', async (bytes) => {
    const socket = await connect();
    proxy.limitData(bytes);
    socket.write('abcde');
    expect(await broken(socket)).toEqual(['ABCDE'.slice(0, bytes), 'ECONNRESET']);
  });

  test('a fault waits for the request it is meant for, and happens once', async () => {
    const [ping, save] = [await connect(), await connect()];
    const shot = proxy.swallowReply((request) => request.includes('save'));
    expect(await ask(ping, 'ping')).toBe('PING');
    save.write('save');
    expect(await broken(save)).toEqual(['', 'ECONNRESET']);
    await shot.fired;
    expect(await ask(ping, 'save')).toBe('SAVE');
    ping.destroy();
  });

  test('a cancelled fault does not happen', async () => {
    const socket = await connect();
    proxy.resetNext().cancel();
    expect(await ask(socket, 'x')).toBe('X');
    socket.destroy();
  });

  test('a held request reaches the target when it is let go, and other connections do not wait', async () => {
    const [socket, other] = [await connect(), await connect()];
    let letGo = () => {};
    const until = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const shot = proxy.holdNext(until, (request) => request.includes('save'));
    const answer = ask(socket, 'save');
    await shot.fired;
    expect(await ask(other, 'ping')).toBe('PING');
    expect(got).toBe('ping');
    letGo();
    expect(await answer).toBe('SAVE');
    for (const each of [socket, other]) each.destroy();
  });

  test('a watched request is told of when its reply has been handed on, and nothing happens to it', async () => {
    const socket = await connect();
    const shot = proxy.passNext((request) => request.includes('save'));
    expect(await ask(socket, 'ping')).toBe('PING');
    expect(await ask(socket, 'save')).toBe('SAVE');
    await shot.fired;
    expect(await ask(socket, 'save')).toBe('SAVE');
    socket.destroy();
  });

  test('a replaced reply arrives in place of the real one, the next is real again', async () => {
    const socket = await connect();
    proxy.replaceReply('!!garbage!!');
    expect(await ask(socket, 'x')).toBe('!!garbage!!');
    expect(await ask(socket, 'y')).toBe('Y');
    socket.destroy();
  });

  test('dripped replies arrive whole and in order', async () => {
    const socket = await connect();
    proxy.drip({ bytes: 1, ms: 1 });
    let received = '';
    const whole = new Promise<void>((resolve) => {
      socket.on('data', (bytes) => {
        received += bytes;
        if (received.length === 8) resolve();
      });
    });
    socket.write('abcd');
    await new Promise((resolve) => setTimeout(resolve, 2));
    socket.write('efgh');
    await whole;
    expect(received).toBe('ABCDEFGH');
    socket.destroy();
  });
});

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../free-port.ts';
import { createGate } from './gate.ts';
import { type Drip, type Link, type LinkHooks, openLink } from './link.ts';
import { type Effect, type Matches, magazine, type Shot } from './shot.ts';

/** A wire that can be cut. It stays in one of the first four states; the shots happen once. */
export interface TcpProxy {
  readonly port: number;
  /** From clients to the target. */
  readonly sentBytes: number;
  /** From the target to clients. */
  readonly receivedBytes: number;
  /** Forwards everything, at once; what was stalled arrives, what was refused can connect again. */
  pass(): Promise<void>;
  /** Down: connections are reset, new ones refused. */
  refuse(): Promise<void>;
  /** Requests and replies wait, connections stay open. */
  stall(): void;
  /** Replies in small pieces. */
  drip(pace: Drip): void;
  /** The next matching request reaches the target; its reply is lost and the connection reset. */
  swallowReply(matches?: Matches): Shot;
  /** The next matching request does not reach the target; the connection is reset. */
  resetNext(matches?: Matches): Shot;
  /** Only so many bytes of the next matching request's reply arrive, then the connection is reset. */
  limitData(bytes: number, matches?: Matches): Shot;
  /** The next matching request, and what comes after it on its connection, does not reach the target until then. */
  holdNext(until: Promise<unknown>, matches?: Matches): Shot;
  /** The next matching request and its reply pass unharmed; the shot has fired when the reply was handed on. */
  passNext(matches?: Matches): Shot;
  /** The next matching request's reply is replaced by these bytes. */
  replaceReply(reply: string | Buffer, matches?: Matches): Shot;
  stop(): Promise<void>;
}

/** A proxy on loopback, in this process, in front of a server on loopback. */
export async function startProxy(targetPort: number): Promise<TcpProxy> {
  const port = await freePort();
  const bytes = { sent: 0, received: 0 };
  const shots = magazine();
  const gate = createGate();
  let pace: Drip | undefined;
  const listener = createListener(port, targetPort, {
    gate,
    drip: () => pace,
    onRequest: (request) => {
      bytes.sent += request.length;
      return shots.take(request);
    },
    onReply: (reply) => {
      bytes.received += reply.length;
    },
  });
  await listener.open();
  const arm = (effect: Effect, matches?: Matches) => shots.arm(effect, matches);
  return Object.freeze({
    port,
    get sentBytes() {
      return bytes.sent;
    },
    get receivedBytes() {
      return bytes.received;
    },
    pass: async () => {
      pace = undefined;
      gate.open();
      await listener.open();
    },
    refuse: () => listener.close(),
    stall: () => gate.close(),
    drip: (next: Drip) => {
      pace = next;
    },
    swallowReply: (matches?: Matches) => arm({ kind: 'cut', bytes: 0 }, matches),
    resetNext: (matches?: Matches) => arm({ kind: 'reset' }, matches),
    limitData: (limit: number, matches?: Matches) => arm({ kind: 'cut', bytes: limit }, matches),
    holdNext: (until: Promise<unknown>, matches?: Matches) => arm({ kind: 'hold', until }, matches),
    passNext: (matches?: Matches) => arm({ kind: 'pass' }, matches),
    replaceReply: (reply: string | Buffer, matches?: Matches) =>
      arm({ kind: 'replace', reply: Buffer.from(reply) }, matches),
    stop: () => listener.close(),
  });
}

/** A server that can be closed with all its connections, and opened again on the same port. */
function createListener(port: number, targetPort: number, hooks: LinkHooks) {
  const links = new Set<Link>();
  let server: Server | undefined;
  const connected = (client: Socket) => {
    const link = openLink(client, targetPort, hooks);
    links.add(link);
    client.once('close', () => links.delete(link));
  };
  return {
    async open(): Promise<void> {
      if (server) return;
      server = createServer({ allowHalfOpen: true }, connected).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async close(): Promise<void> {
      const closing = server;
      server = undefined;
      for (const link of links) link.reset();
      if (closing) await new Promise((resolve) => closing.close(resolve));
    },
  };
}

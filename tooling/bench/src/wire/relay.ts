import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { freePort } from '@agent-state/services';
import type { Meter } from '../meter.ts';
import { cutter, type Parse } from './requests.ts';

export interface Relay extends Meter {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * A wire that counts. Unlike the proxy of our services it knows requests: drivers send some of their own at any time,
 * and those are left out, bytes and all.
 */
export async function startRelay(target: number, parse: Parse, left: ReadonlySet<string>): Promise<Relay> {
  const sent = { calls: 0, bytes: 0 };
  const sockets = new Set<Socket>();
  const count = (cut: ReturnType<typeof cutter>, chunk: Buffer): void => {
    for (const { name, bytes } of cut(chunk)) {
      if (left.has(name)) continue;
      sent.calls += 1;
      sent.bytes += bytes;
    }
  };
  const server = createServer({ noDelay: true }, (client) => {
    const there = createConnection({ port: target, host: '127.0.0.1', noDelay: true });
    const cut = cutter(parse);
    client.on('data', (chunk) => count(cut, chunk));
    join(client, there);
    join(there, client);
    sockets.add(client);
  });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    port,
    read: () => ({ ...sent }),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What one side says goes to the other, and so does its end, orderly or not. */
function join(from: Socket, to: Socket): void {
  from.on('error', () => {});
  from.on('close', () => to.destroy());
  from.pipe(to);
}

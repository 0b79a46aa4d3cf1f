import { createConnection, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { encodeCommand, parseReply, type Reply } from './resp.ts';

export interface RedisAddress {
  readonly port: number;
  /** The authority to trust; with it the connection is encrypted. */
  readonly ca?: string | undefined;
}

/** One command on a connection of its own: nothing a test does to its clients' connections disturbs it. */
export function redisCommand(address: RedisAddress, args: readonly string[], timeout = 10_000): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const socket = connectTo(address);
    let received = Buffer.alloc(0);
    const settle = (act: () => void) => {
      socket.destroy();
      act();
    };
    socket.setTimeout(timeout, () => socket.destroy(new Error(`${args[0]}: no reply within ${timeout} ms`)));
    socket.on('error', (error) => settle(() => reject(error)));
    socket.on('close', () => reject(new Error(`${args[0]}: connection closed before the reply`)));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      try {
        const parsed = parseReply(received);
        if (parsed) settle(() => resolve(parsed.reply));
      } catch (error) {
        settle(() => reject(error));
      }
    });
    socket.write(encodeCommand(args));
  });
}

function connectTo({ port, ca }: RedisAddress): Socket {
  return ca === undefined ? createConnection(port, '127.0.0.1') : connectTls({ port, host: '127.0.0.1', ca });
}

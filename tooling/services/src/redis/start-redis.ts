import { join } from 'node:path';
import type { Binary } from '../binary.ts';
import { type Control, controlled } from '../controlled.ts';
import { freePort } from '../free-port.ts';
import { isMissing, type Missing } from '../missing.ts';
import { serverFolder } from '../server-folder.ts';
import { type ServerProcess, spawnServer } from '../server-process.ts';
import { GaveUp, waitUntil } from '../wait-until.ts';
import { type Certificate, makeCertificate } from './certificate.ts';
import { findRedis } from './find-redis.ts';
import { type RedisAddress, redisCommand } from './redis-command.ts';
import { RedisReplyError, type Reply } from './resp.ts';

export interface RedisOptions {
  /** Appended to the flags below, so they win: `['--appendonly', 'yes']`. */
  readonly args?: readonly string[];
  /** Where it writes; not removed at the end. Without it, a temporary folder. */
  readonly dir?: string;
  readonly port?: number;
  /** Encrypted connections only, with a certificate made for the occasion. */
  readonly tls?: boolean;
}

export interface RedisServer extends Control {
  readonly url: string;
  readonly port: number;
  readonly version: string;
  /** How its program was found. */
  readonly from: string;
  /** With `tls`: what a client has to trust, in PEM. */
  readonly ca?: string;
  /** One command on a connection of its own; rejects with the server's error reply. */
  command(...args: string[]): Promise<Reply>;
}

/** A private redis-server on loopback that keeps nothing on disk unless `args` say so. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer | Missing> {
  const binary = await findRedis();
  return isMissing(binary) ? binary : launchRedis(binary, options);
}

/** For who has found the binary already. */
export async function launchRedis(binary: Binary, options: RedisOptions): Promise<RedisServer> {
  const port = options.port ?? (await freePort());
  const folder = serverFolder('redis', options.dir);
  folder.make();
  const certificate = options.tls ? await makeCertificate(folder.path) : undefined;
  const address = { port, ca: certificate?.ca };
  const flags = [...baseFlags(folder.path), ...listenFlags(port, certificate), ...(options.args ?? [])];
  const control = await controlled({
    folder,
    spawn: (args) => spawnServer(binary.path, [...flags, ...args], join(folder.path, 'server.log')),
    ready: (process) => waitUntil(() => answers(process, address), 'redis-server answers'),
  });
  return Object.freeze(
    Object.assign(control, {
      url: `${certificate ? 'rediss' : 'redis'}://127.0.0.1:${port}`,
      port,
      version: binary.version,
      from: binary.from,
      ...(certificate && { ca: certificate.ca }),
      command: (...args: string[]) => redisCommand(address, args),
    }),
  );
}

function baseFlags(dir: string): string[] {
  const persistence = ['--save', '', '--appendonly', 'no'];
  return ['--bind', '127.0.0.1', '--dir', dir, ...persistence, '--enable-debug-command', 'local'];
}

function listenFlags(port: number, certificate: Certificate | undefined): string[] {
  if (certificate === undefined) return ['--port', String(port)];
  const { certFile, keyFile } = certificate;
  const files = ['--tls-cert-file', certFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', certFile];
  return ['--port', '0', '--tls-port', String(port), ...files, '--tls-auth-clients', 'no'];
}

/** Any reply counts, an error too: a test may want the server that is still loading or asks for a password. */
async function answers(process: ServerProcess, address: RedisAddress): Promise<boolean> {
  if (!process.running()) throw new GaveUp(`redis-server ended at once:\n${process.log()}`);
  try {
    await redisCommand(address, ['PING'], 1000);
  } catch (error) {
    if (!(error instanceof RedisReplyError)) throw error;
  }
  return true;
}

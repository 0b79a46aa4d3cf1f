import { join } from 'node:path';
import { type Document, MongoServerError } from 'mongodb';
import { type Control, controlled } from '../controlled.ts';
import { freePort } from '../free-port.ts';
import { isMissing, type Missing } from '../missing.ts';
import { serverFolder } from '../server-folder.ts';
import { type ServerProcess, spawnServer } from '../server-process.ts';
import { GaveUp, waitUntil } from '../wait-until.ts';
import { type FailCommand, type FailMode, mongoCommand, setFailPoint } from './fail-point.ts';
import { findMongod } from './find-mongod.ts';

export interface MongoOptions {
  readonly args?: readonly string[];
  /** Where it writes; not removed at the end. Without it, a temporary folder. */
  readonly dir?: string;
  readonly port?: number;
}

export interface MongoServer extends Control {
  /** Names the replica set; append `&…` for more options. */
  readonly url: string;
  readonly port: number;
  readonly version: string;
  /** How its program was found. */
  readonly from: string;
  /** Makes the named commands fail, once unless `mode` says otherwise. */
  failCommand(data: FailCommand, mode?: FailMode): Promise<void>;
  /** Any other fail point of the server; `mode` is `'off'` to end it. */
  failPoint(name: string, mode: FailMode, data?: Document): Promise<void>;
  /** One command on a connection of its own, on `admin` unless said otherwise. */
  command(command: Document, db?: string): Promise<Document>;
}

/** A private mongod on loopback: a replica set of one, so that transactions and majority writes work. */
export async function startMongo(options: MongoOptions = {}): Promise<MongoServer | Missing> {
  const binary = await findMongod();
  if (isMissing(binary)) return binary;
  const port = options.port ?? (await freePort());
  const folder = serverFolder('mongo', options.dir);
  const flags = [...baseFlags(folder.path, port), ...(options.args ?? [])];
  const control = await controlled({
    folder,
    spawn: (args) => spawnServer(binary.path, [...flags, ...args], join(folder.path, 'server.log')),
    ready: (process) => waitUntil(() => isPrimary(process, port), 'mongod is primary', 60_000),
  });
  return Object.freeze(
    Object.assign(control, {
      url: `mongodb://127.0.0.1:${port}/?replicaSet=rs0`,
      port,
      version: binary.version,
      from: binary.from,
      failCommand: (data: FailCommand, mode: FailMode = { times: 1 }) => setFailPoint(port, 'failCommand', mode, data),
      failPoint: (name: string, mode: FailMode, data?: Document) => setFailPoint(port, name, mode, data),
      command: (command: Document, db?: string) => mongoCommand(port, command, db),
    }),
  );
}

function baseFlags(dbpath: string, port: number): string[] {
  const storage = ['--dbpath', dbpath, '--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '64'];
  const network = ['--bind_ip', '127.0.0.1', '--port', String(port), '--nounixsocket'];
  return [...storage, ...network, '--replSet', 'rs0', '--setParameter', 'enableTestCommands=1', '--quiet'];
}

/** On an empty folder the set is founded first; after a restart it is already there. */
async function isPrimary(process: ServerProcess, port: number): Promise<boolean> {
  if (!process.running()) throw new GaveUp(`mongod ended at once:\n${process.log()}`);
  const { isWritablePrimary, setName } = await mongoCommand(port, { hello: 1 });
  if (setName === undefined) await foundSet(port);
  return isWritablePrimary === true && setName !== undefined;
}

async function foundSet(port: number): Promise<void> {
  const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
  try {
    await mongoCommand(port, { replSetInitiate: { _id: 'rs0', members } });
  } catch (error) {
    // Another round of the loop was faster, or the restart is still reading its configuration.
    if (!(error instanceof MongoServerError && error.codeName === 'AlreadyInitialized')) throw error;
  }
}

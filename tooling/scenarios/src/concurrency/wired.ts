import type { Checkpointer } from '@agent-state/core';
import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import { startProxy, type TcpProxy } from '@agent-state/services';
import type {} from '@agent-state/services/vitest';
import { inject, onTestFinished } from 'vitest';
import { opened } from '../stores.ts';

/** A store on a shared server, for processes of which some can be cut off from it. */
export interface WiredStore {
  readonly name: string;
  /** A checkpointer with a client of its own, closed when the test is over. */
  readonly open: () => Checkpointer;
  /** The same, over a wire that the test can cut. */
  readonly openWired: () => Promise<{ readonly store: Checkpointer; readonly wire: TcpProxy }>;
}

/** With the deadlines of a client that can be cut off: it gives up before the agent does, and says what it knows. */
type Open<Deadlines> = (url: string, deadlines?: Deadlines) => Checkpointer;

function wired<Deadlines>(name: string, url: string, at: Open<Deadlines>, deadlines: Deadlines): WiredStore {
  return {
    name,
    open: () => opened(() => at(url)),
    async openWired() {
      const wire = await startProxy(Number(new URL(url).port));
      onTestFinished(() => wire.stop());
      return { store: opened(() => at(urlThrough(url, wire), deadlines)), wire };
    },
  };
}

function urlThrough(url: string, { port }: TcpProxy): string {
  const through = new URL(url);
  through.port = String(port);
  if (through.protocol !== 'mongodb:') return through.href;
  // Otherwise the client goes to where the members of the set say that they are.
  through.searchParams.delete('replicaSet');
  through.searchParams.set('directConnection', 'true');
  return through.href;
}

const redisUrl = inject('redisUrl');
const mongoUrl = inject('mongoUrl');
const commandDeadlines = { connectTimeoutMs: 900, commandTimeoutMs: 900 };
const clientDeadlines = { serverSelectionTimeoutMS: 900, connectTimeoutMS: 900, socketTimeoutMS: 900 };

export const wiredRedis: readonly WiredStore[] =
  redisUrl === undefined
    ? []
    : [wired('redis', redisUrl, (url, more) => createRedisCheckpointer({ url, ...more }), commandDeadlines)];

/** Those whose servers are here. */
export const wiredStores: readonly WiredStore[] = [
  ...wiredRedis,
  ...(mongoUrl === undefined
    ? []
    : [wired('mongo', mongoUrl, (url, more) => createMongoCheckpointer({ url, ...more }), clientDeadlines)]),
];

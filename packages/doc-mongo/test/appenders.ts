import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { user } from '@agent-state/conformance/fixtures';
import type { Message } from '@agent-state/core';
import { type MongoServer, startProxy, type TcpProxy } from '@agent-state/services';
import { bundleSources, type Script, startScript } from '@agent-state/services/children';
import { createStage, type Stage } from './stage.ts';

type Is = (request: Buffer) => boolean;
const isUpdate: Is = (request) => request.includes('update\0');
const concernsMany: Is = (request) => request.includes('\u0008multi\0\u0001');

const writes = {
  'making the chunk': (request) => request.includes('$merge'),
  'confirming the chunk': (request) => isUpdate(request) && concernsMany(request),
  'moving the chunks': (request) => isUpdate(request) && concernsMany(request),
  'saving the thread': (request) => isUpdate(request) && !concernsMany(request),
} as const satisfies Record<string, Is>;

export type Write = keyof typeof writes;

/** In their order. */
export const writesOfSeal: readonly Write[] = ['making the chunk', 'confirming the chunk', 'saving the thread'];

/** A process that appends to a thread, and how to stop it there and then. */
export interface Appender {
  readonly child: Script;
  /** It stops at that write, whose answer it never gets; resolves once the server has done it, or never will. */
  readonly stopAt: (write: Write, how: 'before it is done' | 'when it is done') => Promise<void>;
  /** It stops when it has sent that write; resolves once the server has done it. The answer waits for the process. */
  readonly freezeAt: (write: Write) => Promise<void>;
}

/** What the tests of such processes share: a stage, and a wire to its server. */
export interface AppenderStage extends Stage {
  /** Appends to the thread until it has so many messages. */
  readonly startAppender: (threadId: string, upTo: number) => Appender;
}

export async function createAppenderStage(server: MongoServer): Promise<AppenderStage> {
  const stage = createStage(server);
  const proxy = await startProxy(server.port);
  const bundle = await bundleSources(fileURLToPath(new URL('..', import.meta.url)), ['mongodb']);
  const script = fileURLToPath(new URL('append.mjs', import.meta.url));
  const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  return {
    ...stage,
    startAppender(threadId, upTo) {
      const child = startScript(script, bundle.file, url, stage.database, threadId, `${upTo}`);
      return appender(child, proxy, threadId);
    },
    async close() {
      await stage.close();
      await proxy.stop();
      await bundle.remove();
    },
  };
}

function appender(child: Script, proxy: TcpProxy, threadId: string): Appender {
  /** At the very moment, so that it gets no further. */
  const stopping = (write: Write) => (request: Buffer) => {
    if (!request.includes(threadId) || !writes[write](request)) return false;
    child.signal('SIGSTOP');
    return true;
  };
  return {
    child,
    stopAt: (write, how) =>
      (how === 'before it is done' ? proxy.resetNext(stopping(write)) : proxy.swallowReply(stopping(write))).fired,
    freezeAt: (write) => proxy.passNext(stopping(write)).fired,
  };
}

/** A thread's id as it is on the wire and nowhere else. */
export const freshThread = (): string => `thread-${randomUUID()}`;

/** As these processes write them. */
export const messages = (count: number): Message[] =>
  Array.from({ length: count }, (_, index) => user(`message ${index}`));

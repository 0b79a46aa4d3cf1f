import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkpointer } from '@agent-state/core';
import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import type {} from '@agent-state/services/vitest';
import { afterAll, inject, onTestFinished } from 'vitest';

/** A store that processes share. */
export interface Ground {
  readonly name: 'sqlite' | 'redis' | 'mongo';
  /** Undefined where there is no such server. */
  readonly url: string | undefined;
  /** Opens it in this process, until the test is over. */
  readonly open: () => Checkpointer;
}

/** Where files of this test file go. */
export const folder: string = mkdtempSync(join(tmpdir(), 'agent-state-process-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function ground(name: Ground['name'], url: string | undefined, create: (url: string) => Checkpointer): Ground {
  return {
    name,
    url,
    open() {
      const checkpointer = create(String(url));
      onTestFinished(() => checkpointer.close());
      return checkpointer;
    },
  };
}

export const eachStore: readonly Ground[] = [
  ground('sqlite', join(folder, 'threads.sqlite'), (path) => createSqliteCheckpointer({ path })),
  ground('redis', inject('redisUrl'), (url) => createRedisCheckpointer({ url })),
  ground('mongo', inject('mongoUrl'), (url) => createMongoCheckpointer({ url })),
];

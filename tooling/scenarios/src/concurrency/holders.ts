import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Checkpointer, createThreads } from '@agent-state/core';
import type {} from '@agent-state/services/vitest';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { openStore } from '../open-store.ts';
import { type Holder, startHolder } from './start-holder.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-state-holders-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const places = [
  { name: 'redis', url: inject('redisUrl') },
  { name: 'mongo', url: inject('mongoUrl') },
  { name: 'sqlite', url: join(folder, 'threads.sqlite') },
].flatMap(({ name, url }) => (url === undefined ? [] : [{ name, url }]));

/** Real processes on one store, and this one beside them. */
export interface Company {
  readonly holders: readonly Holder[];
  readonly store: Checkpointer;
  readonly threads: ReturnType<typeof createThreads>;
}

/** Declares tests with so many processes, which they share, on every store that processes can share and that is here. */
export function withHolders(title: string, count: number, tests: (company: () => Company) => void): void {
  describe.each(places)(`on $name, ${title}`, ({ name, url }) => {
    let company: Company | undefined;
    beforeAll(async () => {
      const store = await openStore(name, url);
      const holders = await Promise.all(Array.from({ length: count }, () => startHolder(name, url)));
      company = { holders, store, threads: createThreads(store) };
    });
    afterAll(async () => {
      for (const holder of company?.holders ?? []) holder.stop();
      await company?.store.close();
    });
    tests(() => {
      if (!company) throw new Error('The processes have not started.');
      return company;
    });
  });
}

export const newThread = (): string => randomUUID();

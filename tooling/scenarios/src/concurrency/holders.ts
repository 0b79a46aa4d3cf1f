import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Checkpointer, createThreads } from '@agent-state/core';
import type {} from '@agent-state/services/vitest';
import { afterAll, beforeAll, inject } from 'vitest';
import { openStore } from '../open-store.ts';
import { type Holder, startHolder } from './start-holder.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-state-holders-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every store that processes can share and that is here. */
export const sharedStores = [
  { name: 'redis', url: inject('redisUrl') },
  { name: 'mongo', url: inject('mongoUrl') },
  { name: 'sqlite', url: join(folder, 'threads.sqlite') },
].flatMap(({ name, url }) => (url === undefined ? [] : [{ name, url }]));

type SharedStore = (typeof sharedStores)[number];

/** Real processes on one store, and this one beside them. */
export interface Company {
  readonly holders: readonly Holder[];
  readonly store: Checkpointer;
  readonly threads: ReturnType<typeof createThreads>;
}

/** Starts so many processes for the tests of a group, which share them. */
export function startCompany({ name, url }: SharedStore, count: number): () => Company {
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
  return () => {
    if (!company) throw new Error('The processes have not started.');
    return company;
  };
}

export const newThread = (): string => randomUUID();

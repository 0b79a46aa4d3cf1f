import { describe, expect, test } from 'vitest';
import {
  absent,
  append,
  appendAll,
  mongoUrl,
  ownDatabase,
  rawClient,
  sharedUrl,
  state,
  texts,
  withSettings,
} from '../test/support.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

/** What a connection string may ask for. */
const weak = ['w=0', 'w=1&journal=false'].map(
  (acknowledged) => `${acknowledged}&readPreference=secondaryPreferred&readConcernLevel=available`,
);

describe.skipIf(mongoUrl === undefined).each(weak)('a client that is set to %s', (settings) => {
  const { database, client } = ownDatabase(rawClient(withSettings(sharedUrl, settings), { monitorCommands: true }));
  const commands: Record<string, Record<string, unknown>>[] = [];
  client.on('commandStarted', ({ command }) => commands.push(command));
  const store = createMongoCheckpointer({ client, database, tail: { messages: 2 } });

  test('[C13] is overruled: every write is acknowledged by a majority with its journal, and every read is from the primary', async () => {
    const ttl = { ttlMs: 60_000, pausedTtlMs: null };
    const base = await appendAll(store, 't', texts(5));
    const next = await append(store, 't', { ...base, ttl }, texts(6));
    await store.save('t', { state: state(texts(7)), base: next });
    await store.save('large', { state: state(texts(7)), base: absent });
    await store.steps('t');
    await store.list();
    await store.query({ text: 'x' });
    await store.delete('t');
    expect(await store.load('t')).toMatchObject({ found: false });
    const isSeal = (command: object) => JSON.stringify(command).includes('$merge');
    const writes = commands.filter(
      (command) => ['insert', 'update', 'delete'].some((name) => name in command) || isSeal(command),
    );
    const reads = commands.filter(
      (command) => ['find', 'aggregate', 'distinct'].some((name) => name in command) && !isSeal(command),
    );
    expect(writes.length).toBeGreaterThan(10);
    for (const { writeConcern } of writes) expect(writeConcern).toMatchObject({ w: 'majority', j: true });
    expect(reads.length).toBeGreaterThan(5);
    for (const { $readPreference = { mode: 'primary' }, readConcern } of reads) {
      expect([$readPreference, readConcern]).toEqual([{ mode: 'primary' }, { level: 'local' }]);
    }
  });
});

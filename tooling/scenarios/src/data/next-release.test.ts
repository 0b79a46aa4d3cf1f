import { randomUUID } from 'node:crypto';
import { createThreads, type JsonObject } from '@agent-state/core';
import type { ObjectEntries } from 'valibot';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { lines, says, startProcess } from '../agent.ts';
import { opened, stores } from '../stores.ts';

/**
 * Which release the code under test is, as far as it can tell: the first one, or the one after it, as it could be, in
 * which every part says that it was led over.
 */
const release = vi.hoisted(() => {
  const from1 = (part: JsonObject): JsonObject => ({ ...part, migrated: true });
  const head = (part: JsonObject): JsonObject => ({ ...from1(part), schema_version: 2 });
  return { schema: 1, migrations: { 1: { head, variables: from1, message: from1, step: from1 } } };
});
afterEach(() => {
  release.schema = 1;
});

// The two modules in which a schema is raised. They are not exported, for no user may raise it.
vi.mock('../../../../packages/core/src/state/schema.ts', async (original) => {
  const v = await import('valibot');
  const schema = (await original()) as { headSchema: { entries: ObjectEntries } };
  const headSchema = v.looseObject({ ...schema.headSchema.entries, schema_version: v.number() });
  return Object.defineProperty({ ...schema, headSchema }, 'schemaVersion', {
    get: () => release.schema,
    enumerable: true,
  });
});
vi.mock('../../../../packages/core/src/state/migrations.ts', async (original) => {
  const { migrate } = (await original()) as { migrate: (...args: unknown[]) => JsonObject };
  return {
    migrate: (part: string, value: JsonObject, schema: number) =>
      migrate(part, value, schema, release.migrations, release.schema),
  };
});

describe.each(stores)('on %s', (_name, openStore) => {
  it('[D13] a thread of two releases: each message, step and part is migrated by the schema it was written in', async () => {
    const threadId = randomUUID();
    const before = startProcess(opened(openStore), [says('One.'), says('Two.')]);
    await before.agent(threadId).run('First');

    release.schema = 2;
    const old = await createThreads(opened(openStore)).get(threadId);
    expect(old).toMatchObject({ schema_version: 2, migrated: true });
    expect(old?.history.map((message) => 'migrated' in message)).toEqual([true, true, true]);
    const after = startProcess(opened(openStore), [says('One.'), says('Two.')]);
    expect(await after.agent(threadId).run('Second')).toMatchObject({ answer: 'Two.', durable: true });

    const checkpointer = opened(openStore);
    const now = await createThreads(checkpointer).get(threadId);
    expect(lines(now?.history)).toEqual([
      'system: Be helpful.',
      'user: First',
      'assistant: One.',
      'user: Second',
      'assistant: Two.',
    ]);
    expect(now?.history.map((message) => 'migrated' in message)).toEqual([true, true, true, false, false]);
    expect(now).toMatchObject({ schema_version: 2, migrated: true });
    if (checkpointer.capabilities.steps) {
      const steps = await createThreads(checkpointer).steps(threadId);
      expect(steps.map((step) => 'migrated' in step)).toEqual([true, false]);
    }

    release.schema = 1;
    const again = startProcess(opened(openStore), [says('One.'), says('Two.'), says('Never.')]);
    await expect(again.agent(threadId).run('Third')).rejects.toMatchObject({ code: 'schema_too_new' });
  });
});

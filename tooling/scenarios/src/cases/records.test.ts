import { randomUUID } from 'node:crypto';
import { createThreads } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { lines, says, startProcess } from '../agent.ts';
import { opened } from '../stores.ts';
import { type PartName, type RawPart, rawStores } from './raw-records.ts';

type Change = (part: RawPart) => RawPart;

const withField =
  (field: string, value: unknown): Change =>
  (part) => ({ ...part, value: { ...(part.value as object), [field]: value } });

/** What is done to a part of the record, and what the error has to name. */
const damages: readonly [what: string, part: PartName, change: Change, path: string][] = [
  ['[S-MIG-02] whose message is a text', 'message', (part) => ({ ...part, value: 'text' }), 'history[0]'],
  ['[S-MIG-02] whose message has no role', 'message', withField('role', undefined), 'history[0].role'],
  ['[S-MIG-02] whose message has a number for its content', 'message', withField('content', 7), 'history[0].content'],
  ['[S-MIG-02] whose step is a text', 'head', withField('current_step', '1'), 'state.current_step'],
  ['[S-MIG-02] whose time is no time', 'head', withField('updated_at', 'yesterday'), 'state.updated_at'],
  ['[S-MIG-01] without a step', 'head', withField('current_step', undefined), 'state.current_step'],
  ['[S-MIG-01] without variables', 'variables', ({ schema }) => ({ schema }), 'variables'],
  ['[S-MIG-01] that does not say its schema', 'head', ({ value }) => ({ value }), 'schema'],
];

describe.each(rawStores)('on $name, a stored thread', ({ open, edit, raw }) => {
  async function stored(): Promise<string> {
    const threadId = randomUUID();
    expect(
      await startProcess(opened(open), [says('One.')])
        .agent(threadId)
        .run('First'),
    ).toMatchObject({
      durable: true,
    });
    return threadId;
  }

  it.each(damages)('%s is corrupt to every reader, which says where, and stays', async (_what, part, change, path) => {
    const threadId = await stored();
    await edit(threadId, part, change);
    const before = await raw(threadId);
    const store = opened(open);
    const process = startProcess(store, [says('One.'), says('Never said.')]);
    const agent = process.agent(threadId);
    const reads = [() => createThreads(store).get(threadId), () => agent.run('Second'), () => agent.resume()];
    for (const read of reads) {
      const error = await read().then(
        () => expect.fail('it was read'),
        (reason: unknown) => reason as { path?: string; message: string },
      );
      expect(error).toMatchObject({ code: 'corrupt', threadId });
      expect(`${error.path}: ${error.message}`).toContain(path);
    }
    expect(process.events.map(({ type }) => type)).not.toContain('volatile');
    expect(await raw(threadId)).toBe(before);
  });

  it('[S-MIG-01] whose messages have no metadata is read, and gone on with', async () => {
    const threadId = await stored();
    await edit(threadId, 'message', withField('metadata', undefined));
    const store = opened(open);
    const turns = [says('One.'), says('Two.')];
    expect(await startProcess(store, turns).agent(threadId).run('Second')).toMatchObject({ durable: true });
    expect(lines((await createThreads(store).get(threadId))?.history)).toEqual([
      'system: Be helpful.',
      'user: First',
      'assistant: One.',
      'user: Second',
      'assistant: Two.',
    ]);
  });
});

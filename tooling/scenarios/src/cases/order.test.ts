import { randomUUID } from 'node:crypto';
import type { Absence, Message, Position } from '@agent-state/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loaded } from '../stored.ts';
import { opened, stores } from '../stores.ts';

type Base = Absence | Position;

/** Users, assistants that call, and results, in turn. */
const messages = Array.from({ length: 150 }, (_, index): Message => {
  const id = `call_${index - (index % 3)}`;
  if (index % 3 === 0) return { role: 'user', content: `${index}` };
  if (index % 3 === 2) return { role: 'tool', content: `${index}`, metadata: { tool_call_id: id } };
  const call = { id, type: 'function' as const, function: { name: 'look', arguments: '{}' } };
  return { role: 'assistant', content: `${index}`, metadata: { tool_calls: [call] } };
});

afterEach(() => vi.useRealTimers());

describe.each(stores)('on %s, messages of one millisecond', (_, openStore) => {
  it.each([
    ['at once', [50]],
    ['turn by turn, past what is stored in one piece', Array.from({ length: 50 }, (_each, index) => 3 * (index + 1))],
  ])('[S-ORD-01] saved %s come back in the order in which they were appended', async (_how, lengths) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const threadId = randomUUID();
    const store = opened(openStore);
    let base: Base = { found: false, tombstone: null };
    for (const [index, length] of lengths.entries()) {
      const appendedFrom = lengths[index - 1] ?? 0;
      base = await store.save(threadId, { state: { history: messages.slice(0, length) }, base, appendedFrom });
    }
    expect((await loaded(opened(openStore), threadId)).state.history).toEqual(messages.slice(0, lengths.at(-1)));
  });
});

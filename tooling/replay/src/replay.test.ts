import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkpointer, CheckpointWrite, Message } from '@agent-state/core';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { createMemoryCheckpointer, createMemoryData } from '@agent-state/kv-memory';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as made from '../test/recordings.ts';
import { firstFault, summary } from './outcome.ts';
import { readRecordings } from './recording/read.ts';
import { type Handles, replayAll } from './replay.ts';

const { recordings } = readRecordings(made.all.join('\n'));

function inMemory(): Handles {
  const data = createMemoryData();
  return { writer: createMemoryCheckpointer({ data }), reader: createMemoryCheckpointer({ data }) };
}

function inSqlite(): Handles {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-replay-test-'));
  const open = () => createSqliteCheckpointer({ path: join(folder, 'threads.sqlite') });
  const handles = { writer: open(), reader: open() };
  onTestFinished(async () => {
    await Promise.all([handles.writer.close(), handles.reader.close()]);
    rmSync(folder, { recursive: true });
  });
  return handles;
}

/** A checkpointer that stores something else than it is given. */
function altering(checkpointer: Checkpointer, alter: (write: CheckpointWrite) => CheckpointWrite): Checkpointer {
  return { ...checkpointer, save: (threadId, write) => checkpointer.save(threadId, alter(write)) };
}

/** Alters the messages that a write adds; stored ones stay, for no store is given them again. */
const added =
  (alter: (message: Message) => Message) =>
  (write: CheckpointWrite): CheckpointWrite => {
    const from = write.appendedFrom ?? 0;
    const { history } = write.state;
    return {
      ...write,
      state: { ...write.state, history: [...history.slice(0, from), ...history.slice(from).map(alter)] },
    };
  };

describe.each([
  ['memory', inMemory],
  ['sqlite', inSqlite],
])('on %s', (name, open) => {
  test('every recorded message is stored as it was recorded', async () => {
    const outcomes = await replayAll(recordings, open());
    expect(firstFault(outcomes)).toBeUndefined();
    expect(summary(name, outcomes, false)).toBe(`${name}: 5 threads, 25 messages, 0 differ`);
  });

  test.each([
    [
      'messages[7], content',
      'content',
      (message: Message) =>
        message.content === '' && message.role === 'assistant' && !message.metadata
          ? { ...message, content: null }
          : message,
    ],
    [
      'messages[6], name',
      'name',
      (message: Message) => (message.name === 'book' ? { ...message, name: 'Book' } : message),
    ],
    ['messages[2], tool_calls[0].function.arguments', 'arguments', tidyArguments],
    [
      'messages[3], tool_call_id',
      'id',
      (message: Message) => (message.role === 'tool' ? { ...message, metadata: {} } : message),
    ],
  ])('a store that changes something is found out: %s', async (where, _what, alter) => {
    const { writer, reader } = open();
    const outcomes = await replayAll(recordings.slice(0, 1), { writer: altering(writer, added(alter)), reader });
    expect(firstFault(outcomes)).toBe(`thread unanswered differs first at ${where}`);
  });

  test('a store that loses the last message is found out', async () => {
    const { writer, reader } = open();
    const cut: Checkpointer = {
      ...reader,
      async load(threadId) {
        const loaded = await reader.load(threadId);
        return loaded.found
          ? { ...loaded, state: { ...loaded.state, history: loaded.state.history.slice(0, -1) } }
          : loaded;
      },
    };
    const outcomes = await replayAll(recordings.slice(0, 1), { writer, reader: cut });
    expect(summary(name, outcomes, false)).toBe(`${name}: 1 threads, 9 messages, 1 differ`);
    expect(firstFault(outcomes)).toBe('thread unanswered differs first at messages[8], missing');
  });

  test('a store that answers and stores nothing is found out', async () => {
    const { writer, reader } = open();
    const forgetful: Checkpointer = { ...writer, load: async () => ({ found: false, tombstone: null }) };
    const outcomes = await replayAll(recordings, { writer: forgetful, reader });
    expect(firstFault(outcomes)).toMatch(/^thread unanswered broke off: /);
  });
});

test('what a killed process sent and what lands late is not done a second time', async () => {
  const { writer, reader } = inMemory();
  let late = true;
  const overtaken: Checkpointer = {
    ...writer,
    async load(threadId) {
      const before = await writer.load(threadId);
      // Between the look and the run: everything that the other process had to say.
      if (late) await replayAll(recordings.slice(0, 1), { writer, reader });
      late = false;
      return before;
    },
  };
  const outcomes = await replayAll(recordings.slice(0, 1), { writer: overtaken, reader });
  expect(firstFault(outcomes)).toBeUndefined();
});

test('what cannot be stored breaks off one thread, whose content is not shown', async () => {
  const odd = readRecordings([made.line('odd', made.user('secret \ud800')), made.answered].join('\n'));
  const outcomes = await replayAll(odd.recordings, inMemory());
  expect(summary('memory', outcomes, false)).toBe('memory: 2 threads, 4 messages, 1 differ');
  expect(firstFault(outcomes)).toBe('thread odd broke off: not_serializable at input.content');
});

function tidyArguments(message: Message): Message {
  const calls = message.metadata?.tool_calls?.map((call) => ({
    ...call,
    function: { ...call.function, arguments: call.function.arguments.replaceAll('  ', ' ') },
  }));
  return calls ? { ...message, metadata: { ...message.metadata, tool_calls: calls } } : message;
}

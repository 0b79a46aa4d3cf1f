import { assertThreadId, isAgentStateError } from '@agent-state/core';
import { Fault, fail } from './fault.ts';
import { object, toMessage } from './messages.ts';
import type { Recording } from './recording.ts';
import { turnsOf } from './turns.ts';

/** A line that cannot be replayed. Lines are counted from 1. */
export interface BadLine {
  readonly line: number;
  readonly reason: string;
}

/** All threads of a file of JSON lines; a line that is wrong does not stop the rest. */
export function readRecordings(file: string): { readonly recordings: Recording[]; readonly bad: BadLine[] } {
  const recordings: Recording[] = [];
  const bad: BadLine[] = [];
  const lineOf = new Map<string, number>();
  for (const [index, text] of file
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (text.trim() === '') continue;
    const line = index + 1;
    try {
      const recording = parseRecording(text);
      const earlier = lineOf.get(recording.id);
      if (earlier !== undefined) fail('id', `is the same as in line ${earlier}`);
      lineOf.set(recording.id, line);
      recordings.push(recording);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      bad.push({ line, reason: error.message });
    }
  }
  return { recordings, bad };
}

/** One line, checked and completed. */
export function parseRecording(text: string): Recording {
  const { id, messages } = object(parseJson(text), 'it');
  if (!Array.isArray(messages)) fail('messages', 'has to be an array');
  const plain = (messages as unknown[]).map((message, index) => toMessage(message, `messages[${index}]`));
  const opening = plain.findIndex(({ role }) => role === 'user');
  if (opening < 0) fail('messages', 'has none of the customer');
  const results = turnsOf(plain, opening);
  return { id: threadId(id), line: text, messages: named(plain, results), opening, results };
}

/** Where a result does not say which tool gave it, it is the one that was called. */
function named(messages: Recording['messages'], results: Recording['results']): Recording['messages'] {
  const names = new Map(
    [...results].flatMap(([turn, places]) =>
      places.map((place, position) => [place, messages[turn]?.calls[position]?.name ?? ''] as const),
    ),
  );
  return messages.map((message, index) => {
    const name = names.get(index);
    return name === undefined || message.name !== undefined ? message : { ...message, name };
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes what it read.
    return fail('it', 'is not JSON');
  }
}

function threadId(id: unknown): string {
  try {
    assertThreadId(id);
    return id;
  } catch (error) {
    return isAgentStateError(error) ? fail('id', `cannot be a thread's: ${error.message}`) : fail('id', 'is wrong');
  }
}

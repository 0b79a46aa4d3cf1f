import { describe, expect, it } from 'vitest';
import type { Message, RunRecord } from '../../state/schema.ts';
import { runRecord, user } from '../../testing/samples.ts';
import { textOf } from './text.ts';
import { turnsOf } from './turns.ts';

describe('the turn of an input', () => {
  const input = (input_id: string, previous?: string) => ({
    ...user(input_id),
    metadata: {
      input_id,
      ...(previous ? { previous_run: { input_id: previous, run_id: 'r', outcome: 'done' as const } } : {}),
    },
  });
  const turnsIn = (history: Message[], run?: Partial<RunRecord>) =>
    [...turnsOf({ history, run: run && runRecord(run) })].map(([id, turn]) => [id, turn.map(textOf)]);
  const answer = (content: string): Message => ({ role: 'assistant', content });

  it('is what follows it, up to the next one', () => {
    const history = [user('before'), input('a'), answer('1'), answer('2'), input('b', 'a'), input('c', 'b')];
    expect(turnsIn(history)).toEqual([
      ['a', ['1', '2']],
      ['b', []],
      ['c', []],
    ]);
  });

  it('ends right before the input that tells of it, where its own message is gone', () => {
    const history = [input('a'), answer('1'), input('c', 'b'), answer('3')];
    expect(turnsIn(history)).toEqual([
      ['a', ['1']],
      ['b', ['1']],
      ['c', ['3']],
    ]);
    expect(turnsIn([user('summary'), answer('1'), input('b', 'a')])[0]).toEqual(['a', ['summary', '1']]);
  });

  it('is the last one of a run whose input is gone, or before inputs that wait', () => {
    expect(turnsIn([answer('1')], { input_id: 'a' })).toEqual([['a', ['1']]]);
    expect(turnsIn([answer('1')], { input_id: 'b', pending_inputs: [input('b', 'a')] })).toEqual([
      ['a', ['1']],
      ['b', []],
    ]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../state/schema.ts';
import { answers, asks, toolCall, user } from '../../testing/samples.ts';
import { lastMessages, modelView } from '../view.ts';
import { paired } from './pairs.ts';

const inShort = (history: readonly Message[]) =>
  history.map(({ role, content, metadata }) => {
    const ids = metadata?.tool_calls?.map(({ id }) => id) ?? [metadata?.tool_call_id ?? ''];
    return `${role} ${ids.join('+')} ${typeof content === 'string' ? content : ''}`.trim().replaceAll('  ', ' ');
  });
const lost = 'Unknown: no result of this call is in the history.';

describe('a history as models accept it', () => {
  it('comes back as it is where every call is followed by its results', () => {
    const history = [user('a'), asks(toolCall('1'), toolCall('2')), answers('1', 'x'), answers('2', 'y'), user('b')];
    expect(paired(history)).toBe(history);
  });

  it.each([
    [
      'a call at the end, without a result',
      [user('a'), asks(toolCall('1'))],
      ['user a', 'assistant 1', `tool 1 ${lost}`],
    ],
    [
      'a message between calls and results',
      [asks(toolCall('1'), toolCall('2')), user('a'), answers('2', 'y'), answers('1', 'x')],
      ['assistant 1+2', 'tool 1 x', 'tool 2 y', 'user a'],
    ],
    [
      'a result of no call',
      [user('a'), answers('9', 'z')],
      ['user a', 'user [Result of a call of look_up that is not in the history] z'],
    ],
    [
      'two results of one call',
      [asks(toolCall('1')), answers('1', 'x'), answers('1', 'again')],
      ['assistant 1', 'tool 1 x', 'user [Result of a call of look_up that is not in the history] again'],
    ],
    [
      'calls of one turn that share an id, or have none',
      [asks(toolCall('1'), toolCall('1'), toolCall('')), answers('1', 'x'), answers('1', 'y'), answers('', 'z')],
      ['assistant 1+1_2+call_3', 'tool 1 x', 'tool 1_2 y', 'tool call_3 z'],
    ],
    [
      'calls of one turn that share an id, where another has the id that one of them would get',
      [asks(toolCall('a_3'), toolCall('a'), toolCall('a')), answers('a_3', 'x'), answers('a', 'y'), answers('a', 'z')],
      ['assistant a_3+a+a_4', 'tool a_3 x', 'tool a y', 'tool a_4 z'],
    ],
    [
      'an id that comes again in a later turn',
      [asks(toolCall('1')), answers('1', 'x'), asks(toolCall('1')), user('late'), answers('1', 'y')],
      ['assistant 1', 'tool 1 x', 'assistant 1', 'tool 1 y', 'user late'],
    ],
  ])('[S-RES-04] mends %s', (_, history, expected) => {
    expect(inShort(paired(history))).toEqual(expected);
  });

  it('has every call followed by its results, and every text that was there, whatever it was', () => {
    const ids = fc.constantFrom('1', '2', '', '1_2', '1_3');
    const message = fc.oneof(
      fc.string({ minLength: 1 }).map((text) => user(text)),
      fc.array(ids, { minLength: 1, maxLength: 3 }).map((some) => asks(...some.map((id) => toolCall(id)))),
      fc.tuple(ids, fc.string({ minLength: 1 })).map(([id, text]) => answers(id, text)),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (history) => {
        const whole = paired(history);
        expect(paired(whole)).toBe(whole);
        const texts = JSON.stringify(whole.map(({ content }) => content));
        for (const { content } of history) {
          if (typeof content === 'string') expect(texts).toContain(JSON.stringify(content).slice(1, -1));
        }
      }),
    );
  });
});

describe('what the model is shown', () => {
  const history = [
    { role: 'system' as const, content: 'Be kind.' },
    user('a'),
    asks(toolCall('1'), toolCall('2')),
    answers('1', 'x'),
    answers('2', 'y'),
    user('b'),
  ];

  it('[S-RES-04] is the last messages, from the beginning of a turn on', () => {
    expect(inShort(modelView(history, undefined, lastMessages(1)))).toEqual(['system Be kind.', 'user b']);
    const turn = ['system Be kind.', 'assistant 1+2', 'tool 1 x', 'tool 2 y', 'user b'];
    expect(inShort(modelView(history, undefined, lastMessages(2)))).toEqual(turn);
    expect(() => lastMessages(0)).toThrow(/from 1 on/);
  });

  it('is a call with its results also where the view changes messages', () => {
    const view = (whole: readonly Message[]) => whole.map((message) => ({ ...message }));
    expect(modelView(history, undefined, view)).toEqual(history);
  });

  it.each([() => undefined, () => Promise.resolve([]), () => ({})])(
    'is said to be wrong where a view gives no array',
    (view) => {
      expect(() => modelView(history, undefined, view as never)).toThrow(/no array/);
    },
  );

  it.each([
    [[null]],
    [[user('a'), 'b']],
    [[{ role: 'robot', content: 'a' }]],
    [[{ role: 'user' }]],
    [Array.from({ length: 1 })],
  ])('is said to be wrong where a view gives what is no message: %j', (given) => {
    const seeing = () => modelView(history, undefined, () => given as never);
    expect(seeing).toThrow(expect.objectContaining({ code: 'configuration', path: 'view' }));
  });

  it('is each call with its own result, also where two are alike', () => {
    const twice = [asks(toolCall('1')), answers('1', 'x'), asks(toolCall('1')), answers('1', 'y')];
    const view = (whole: readonly Message[]) => whole.filter(({ role }) => role !== 'tool');
    expect(modelView(twice, undefined, view)).toEqual(twice);
  });

  it('has no result whose call the view leaves out', () => {
    const view = (whole: readonly Message[]) => whole.filter(({ role }) => role !== 'assistant');
    expect(inShort(modelView(history, undefined, view))).toEqual(['system Be kind.', 'user a', 'user b']);
  });

  it('[S-RES-04] is a call with all of its results, also where the view left some out', () => {
    const view = (whole: readonly Message[]) => whole.filter(({ content }) => content !== 'y');
    expect(modelView(history, undefined, view)).toEqual(history);
  });

  it('may be a summary in the place of messages; the stored history is not changed', () => {
    const before = structuredClone(history);
    const view = (whole: readonly Message[]) => [user('so far: a'), ...whole.slice(-1)];
    expect(inShort(modelView(history, 'Be brief.', view))).toEqual(['system Be brief.', 'user so far: a', 'user b']);
    expect(history).toEqual(before);
  });
});

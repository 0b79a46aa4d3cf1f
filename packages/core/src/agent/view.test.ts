import { describe, expect, it } from 'vitest';
import { toMessage } from '../state/encode.ts';
import type { Message } from '../state/schema.ts';
import { answers, asks, toolCall, user } from '../testing/samples.ts';
import { textOf } from './record/text.ts';
import { modelView, promptChanged } from './view.ts';

const system = (content: string, more: object = {}) => toMessage({ role: 'system', content, ...more }, 'm');

describe('the model is shown', () => {
  it('the current prompt in the place of the stored one', () => {
    const history = [system('old', { name: 'n' }), user('a')];
    expect(modelView(history, 'new')).toEqual([{ role: 'system', content: 'new', name: 'n' }, user('a')]);
    expect(history[0]?.content).toBe('old');
  });

  it('the current prompt first where none is stored', () => {
    expect(modelView([user('a')], 'new')).toEqual([{ role: 'system', content: 'new' }, user('a')]);
    expect(modelView([], 'new')).toEqual([{ role: 'system', content: 'new' }]);
  });

  it('the history itself where the prompts are the same, or there is none', () => {
    const history = [system('same'), user('a')];
    expect(modelView(history, 'same')).toBe(history);
    expect(modelView(history, undefined)).toBe(history);
  });
});

describe('of a call that did not run with its own arguments, the model is told which counted', () => {
  const text = '[A person set the arguments of this call to {"a":1}.]';
  const part = { type: 'text', text };

  it.each([
    ['paid', `${text} paid`],
    [[{ type: 'image' }], [part, { type: 'image' }]],
    [null, text],
  ])('in front of what the result says: %j', (content, shown) => {
    const result = toMessage(
      { ...answers('1', ''), content, metadata: { tool_call_id: '1', proposed_arguments: '{"a":1}' } },
      'm',
    );
    const history = [user('a'), asks(toolCall('1')), result];
    expect(modelView(history, undefined).at(-1)?.content).toEqual(shown);
    expect(modelView(history, undefined, (whole) => whole.slice(1)).at(-1)?.content).toEqual(shown);
    expect(history.at(-1)?.content).toEqual(content);
  });
});

describe('with a view, the model is shown the current prompt', () => {
  const history = [system('old', { name: 'n' }), user('a'), user('b')];
  const prompt = { role: 'system', content: 'new' };
  const summary = system('So far: a.');

  it('before what the view put in front: only the stored opening stands for the prompt', () => {
    expect(modelView(history, 'new', (whole) => [summary, ...whole.slice(2)])).toEqual([prompt, summary, user('b')]);
    expect(modelView([user('a'), user('b')], 'new', () => [summary])).toEqual([prompt, summary]);
  });

  it('once, and in front, where the view kept the stored opening, or a copy of it', () => {
    const shown = [{ ...prompt, name: 'n' }, summary, user('b')];
    expect(modelView(history, 'new', ([opening]) => [{ ...opening }, summary, user('b')] as Message[])).toEqual(shown);
    expect(modelView(history, 'new', ([opening]) => [summary, opening, user('b')] as Message[])).toEqual(shown);
  });
});

describe('the prompt has changed', () => {
  it.each([
    [[system('old'), user('a')], 'new', true],
    [[system('same')], 'same', false],
    [[user('a')], 'new', false],
    [[], 'new', false],
    [[system('old')], undefined, false],
  ])('case %#', (history, prompt, changed) => {
    expect(promptChanged(history, prompt)).toBe(changed);
  });
});

describe('the text of a message', () => {
  it('is its string, or the text of its parts', () => {
    expect(textOf(user('hi'))).toBe('hi');
    expect(textOf({ role: 'assistant', content: null })).toBe('');
    const parts = [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }, { text: 7 }];
    expect(textOf({ role: 'assistant', content: parts })).toBe('ab');
  });
});

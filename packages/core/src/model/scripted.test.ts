import { describe, expect, it } from 'vitest';
import type { Message } from '../state/schema.ts';
import { user } from '../testing/samples.ts';
import { createScriptedModel } from './scripted.ts';

describe('a scripted model', () => {
  const answer: Message = { role: 'assistant', content: 'one' };
  const ask = (messages: readonly Message[], more: object = {}) =>
    createScriptedModel([{ content: 'one' }, ({ messages: seen }) => ({ content: `saw ${seen.length}` })]).generate({
      messages,
      tools: [],
      signal: new AbortController().signal,
      ...more,
    });

  it('goes on where the history is, so that a process that resumes does too', async () => {
    expect(await ask([user('a')])).toEqual({ content: 'one' });
    expect(await ask([user('a'), answer, user('b')])).toEqual({ content: 'saw 3' });
  });

  it('tells its text to who listens', async () => {
    const told: string[] = [];
    await ask([user('a')], { onText: (text: string) => told.push(text) });
    expect(told).toEqual(['one']);
  });

  it('says so when it has no further turn, and when it is aborted', async () => {
    await expect(ask([answer, answer])).rejects.toMatchObject({ code: 'model' });
    await expect(ask([user('a')], { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMessage, toState } from '../../state/encode.ts';
import type { RunRecord, ThreadState } from '../../state/schema.ts';
import { answers, asks, doneCall, openCall, runRecord, toolCall, user } from '../../testing/samples.ts';
import { mayHaveStarted } from './call-state.ts';
import { startRun, takeRun } from './claims.ts';
import { acted, newThread, stopped, thought, variablesAfter, withResult, worked } from './transitions.ts';

const now = '2026-11-29T10:00:00.000Z';
const input = (text: string) => ({ runId: 'r2', inputId: 'i2', owner: 'me', input: toMessage(user(text), 'input') });

/** A thread whose last message asks for tools, with this run. */
function midAct(run: Partial<RunRecord>, variables: ThreadState['variables'] = {}): ThreadState {
  const calls = run.calls ?? [];
  const history = [user('a'), asks(...calls.map(({ id }) => toolCall(id)))];
  const settled = calls.map((call) => call);
  return toState({ history, variables, current_step: 1, run: runRecord({ phase: 'act', ...run, calls: settled }) }, 0);
}

const idle = (run: Partial<RunRecord>) => toState({ history: [user('a')], run: runRecord({ owner: null, ...run }) }, 0);
const contents = ({ history }: ThreadState) => history.map(({ content }) => content);

describe('a new thread', () => {
  it('begins with the system prompt, or with the history that was given', () => {
    expect(contents(newThread({ profile: 'p', systemPrompt: 'Be kind.' }, now))).toEqual(['Be kind.']);
    expect(contents(newThread({ profile: 'p' }, now))).toEqual([]);
    expect(contents(newThread({ profile: 'p', systemPrompt: 'Be kind.', history: [user('a')] }, now))).toEqual([
      'Be kind.',
      'a',
    ]);
  });

  it('has one system prompt: that of a history given takes precedence', () => {
    const history = [{ role: 'system' as const, content: 'Be brief.' }, user('a')];
    expect(contents(newThread({ profile: 'p', systemPrompt: 'Be kind.', history }, now))).toEqual(['Be brief.', 'a']);
  });
});

describe('W0 with an input', () => {
  it('on an idle thread appends it, with its id, and claims for the next epoch', () => {
    const next = startRun(newThread({ profile: 'p' }, now), input('hi'));
    expect(next.history.at(-1)).toEqual({ ...user('hi'), metadata: { input_id: 'i2' } });
    expect(next.run).toMatchObject({
      id: 'r2',
      input_id: 'i2',
      phase: 'think',
      epoch: 1,
      owner: 'me',
      iterations: 0,
      active_ms: 0,
    });
    expect(startRun(next, input('again')).run?.epoch).toBe(2);
  });

  it('never lands between calls and their results: it waits, behind those that wait already', () => {
    const before = midAct({ calls: [openCall('c1')], pending_inputs: [user('first')] });
    const next = startRun(before, input('second'));
    expect(next.history).toBe(before.history);
    expect(next.run).toMatchObject({ phase: 'act', pending_inputs: [user('first'), user('second')], settle: null });
    expect(contents(acted(withResult(next, 'key-c1', { status: 'done', result: answers('c1', 'one') })))).toEqual([
      'a',
      null,
      'one',
      'first',
      'second',
    ]);
  });

  it.each(['failed', 'cancelled'] as const)('after a run that %s settles its calls without running them', (phase) => {
    const next = startRun(midAct({ phase, owner: null, calls: [openCall('c1'), doneCall('c2', 'two')] }), input('b'));
    expect(next.run).toMatchObject({ phase: 'act', settle: 'none' });
    expect(next.run?.calls).toHaveLength(2);
  });

  it('keeps that for the next owner until the calls are settled', () => {
    const settling = startRun(midAct({ phase: 'failed', owner: null, calls: [openCall('c1')] }), input('b'));
    expect(startRun(settling, input('c')).run?.settle).toBe('none');
    expect(takeRun(settling, 'other').run?.settle).toBe('none');
    expect(acted(settling).run?.settle).toBeNull();
  });

  it.each([
    [{ phase: 'done' } as const, { input_id: 'input', run_id: 'run', outcome: 'done' }],
    [
      { phase: 'failed', error: { code: 'model' } } as const,
      { input_id: 'input', run_id: 'run', outcome: 'failed', code: 'model' },
    ],
    [
      { phase: 'cancelled', error: { code: 'aborted' } } as const,
      { input_id: 'input', run_id: 'run', outcome: 'cancelled', code: 'aborted' },
    ],
    [{ phase: 'think', owner: 'gone' } as const, { input_id: 'input', run_id: 'run', outcome: 'superseded' }],
  ])('tells what became of the run before: %j', (run, previous_run) => {
    expect(startRun(idle(run), input('b')).history.at(-1)?.metadata).toEqual({ input_id: 'i2', previous_run });
  });

  it('keeps what the input says of itself', () => {
    const own = { ...user('x'), metadata: { channel: 'sms', input_id: 'theirs' } };
    const next = startRun(newThread({ profile: 'p' }, now), { ...input('x'), input: own });
    expect(next.history.at(-1)?.metadata).toEqual({ channel: 'sms', input_id: 'i2' });
  });

  it('begins the count of iterations, time and attempts anew', () => {
    const before = idle({ phase: 'failed', iterations: 9, active_ms: 5_000, attempt: 2, error: { code: 'model' } });
    expect(startRun(before, input('b')).run).toMatchObject({ iterations: 0, active_ms: 0, attempt: 0, error: null });
  });
});

describe('attempts are counted where an owner was still named', () => {
  const calls = [
    openCall('c1'),
    openCall('c2', { attempt: 1, status: 'started' }),
    doneCall('c3', 'three'),
    openCall('once', { effect: 'once' }),
  ];
  const attempts = (state: ThreadState) => state.run?.calls.map(({ attempt }) => attempt);

  it('of the calls that may have started and have no result, and of the run', () => {
    const taken = takeRun(midAct({ calls, attempt: 1 }), 'other');
    expect(attempts(taken)).toEqual([1, 2, 0, 0]);
    expect(taken.run?.attempt).toBe(2);
    expect(attempts(startRun(midAct({ calls }), input('b')))).toEqual([1, 2, 0, 0]);
  });

  it('and not where the owner had let go', () => {
    const taken = takeRun(midAct({ calls, owner: null, attempt: 1 }), 'other');
    expect(attempts(taken)).toEqual([0, 1, 0, 0]);
    expect(taken.run?.attempt).toBe(1);
    expect(attempts(startRun(midAct({ calls, owner: null }), input('b')))).toEqual([0, 1, 0, 0]);
  });

  it('a once call that is only planned has not started', () => {
    expect(mayHaveStarted(openCall('a', { effect: 'once' }))).toBe(false);
    expect(mayHaveStarted(openCall('a', { effect: 'once', status: 'started' }))).toBe(true);
    expect(mayHaveStarted(openCall('a'))).toBe(true);
    expect(mayHaveStarted(openCall('a', { effect: 'read' }))).toBe(true);
  });
});

describe('W0 of a resume', () => {
  it('is the same run under a new owner: the history stays as it is', () => {
    const before = midAct({ calls: [openCall('c1')], iterations: 3, active_ms: 50 });
    const taken = takeRun(before, 'other');
    expect(taken.history).toBe(before.history);
    expect(taken.run).toMatchObject({
      id: 'run',
      owner: 'other',
      epoch: 2,
      phase: 'act',
      iterations: 3,
      active_ms: 50,
    });
  });

  it('thinks where no call is open', () => {
    expect(takeRun(idle({ phase: 'think' }), 'other').run?.phase).toBe('think');
  });

  it('needs a run', () => {
    expect(() => takeRun(newThread({ profile: 'p' }, now), 'me')).toThrow(TypeError);
  });
});

describe('W1', () => {
  const thinking = toState({ history: [user('a')], current_step: 4, run: runRecord({ attempt: 2, iterations: 1 }) }, 0);

  it('with calls plans them, and keeps the owner', () => {
    const next = thought(thinking, toMessage(asks(toolCall('c1')), 'm'), [openCall('c1')]);
    expect(next).toMatchObject({
      current_step: 5,
      run: { phase: 'act', owner: 'host:1:a', attempt: 0, iterations: 2, calls: [openCall('c1')] },
    });
  });

  it('with the answer is the end of the run, without an owner, in one', () => {
    const next = thought(thinking, toMessage({ role: 'assistant', content: 'hi' }, 'm'), []);
    expect(next).toMatchObject({ current_step: 5, run: { phase: 'done', owner: null, iterations: 2 } });
    expect(contents(next)).toEqual(['a', 'hi']);
  });
});

describe('W3 and W4', () => {
  const done = (id: string, variables?: ThreadState['variables']) => ({
    status: 'done' as const,
    result: answers(id, id),
    variables,
  });

  it('results become messages in the order of their calls, in whatever order they came', () => {
    const ids = ['c1', 'c2', 'c3', 'c4'];
    const start = midAct({ calls: ids.map((id) => openCall(id)) });
    fc.assert(
      fc.property(fc.shuffledSubarray(ids, { minLength: ids.length }), (order) => {
        const all = order.reduce((state, id) => withResult(state, `key-${id}`, done(id)), start);
        expect(contents(acted(all)).slice(2)).toEqual(ids);
      }),
    );
  });

  it('calls that share an id are told apart by their key', () => {
    const calls = [openCall('same', { key: 'k1' }), openCall('same', { key: 'k2' })];
    const both = withResult(withResult(midAct({ calls }), 'k2', done('two')), 'k1', done('one'));
    expect(contents(acted(both)).slice(2)).toEqual(['one', 'two']);
  });

  it('variables apply in the order of the calls, the last one winning, and those of a failed call are dropped', () => {
    const start = midAct({ calls: ['c1', 'c2', 'c3'].map((id) => openCall(id)) }, { kept: 1, a: 0 });
    const third = withResult(start, 'key-c3', {
      status: 'failed',
      result: answers('c3', 'x'),
      variables: { a: 3, d: 3 },
    });
    const second = withResult(third, 'key-c2', done('c2', { a: 2, b: 2 }));
    const first = withResult(second, 'key-c1', done('c1', { a: 1, b: 1, c: 1 }));
    expect(first.variables).toBe(start.variables);
    expect(acted(first).variables).toEqual({ kept: 1, a: 2, b: 2, c: 1 });
  });

  it('variables that nobody changed are the same object: they are not sent again', () => {
    const settled = withResult(midAct({ calls: [openCall('c1')] }), 'key-c1', done('c1'));
    expect(acted(settled).variables).toBe(settled.variables);
  });

  it('a variable may be called __proto__', () => {
    const changed = variablesAfter({}, [
      doneCall('c1', 'x', { variables: JSON.parse('{"__proto__":{"polluted":1}}') }),
    ]);
    expect(JSON.stringify(changed)).toBe('{"__proto__":{"polluted":1}}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('empty the calls and what waited, count a step, and think again', () => {
    const next = acted(
      withResult(midAct({ calls: [openCall('c1')], attempt: 2, settle: 'none' }), 'key-c1', done('c1')),
    );
    expect(next).toMatchObject({
      current_step: 2,
      run: { phase: 'think', attempt: 0, calls: [], pending_inputs: [], settle: null },
    });
  });
});

describe('a run that stops', () => {
  it('marks the run and lets go of it; the history stays', () => {
    const before = midAct({ calls: [openCall('c1')] });
    const next = stopped(before, 'failed', 'max_iterations');
    expect(next.run).toMatchObject({ phase: 'failed', owner: null, error: { code: 'max_iterations' } });
    expect(next.run?.calls).toEqual(before.run?.calls);
    expect(next.history).toBe(before.history);
  });

  it('has worked for as long as it worked', () => {
    expect(worked(worked(idle({}), 20), 5).run?.active_ms).toBe(25);
  });
});

describe('every transition', () => {
  it('leaves the state before as it was', () => {
    const before = midAct({ calls: [openCall('c1'), openCall('c2')], pending_inputs: [user('w')] }, { a: 1 });
    const text = JSON.stringify(before);
    startRun(before, input('b'));
    takeRun(before, 'other');
    acted(withResult(before, 'key-c1', { status: 'done', result: answers('c1', 'x'), variables: { a: 2 } }));
    stopped(worked(before, 5), 'failed', 'model');
    expect(JSON.stringify(before)).toBe(text);
  });
});

import { describe, expect, it } from 'vitest';
import { toState } from '../../state/encode.ts';
import type { RunRecord } from '../../state/schema.ts';
import { asks, doneCall, openCall, runRecord, toolCall, user } from '../../testing/samples.ts';
import { takeRun } from './claims.ts';
import { nextStep } from './next-step.ts';
import { waitsForPerson } from './run-state.ts';

function stateOf(run: Partial<RunRecord> | undefined) {
  const calls = run?.calls ?? [];
  const history = [user('a'), ...(calls.length > 0 ? [asks(...calls.map(({ id }) => toolCall(id)))] : [])];
  return toState({ history, ...(run ? { run: runRecord(run) } : {}) }, 0);
}

const next = (run: Partial<RunRecord> | undefined) => nextStep(stateOf(run));
const resumed = (run: Partial<RunRecord>) => nextStep(takeRun(stateOf(run), 'another'));
const ids = (step: ReturnType<typeof nextStep>) => ('calls' in step ? step.calls.map(({ id }) => id) : []);

describe('what resume does where the process died', () => {
  it('before Think, or with Think not saved: it thinks', () => {
    expect(resumed({ phase: 'think' })).toEqual({ kind: 'think' });
  });

  it('with Think saved and calls planned: it runs all of them', () => {
    const step = resumed({ phase: 'act', calls: [openCall('c1'), openCall('c2')] });
    expect([step.kind, ids(step)]).toEqual(['act', ['c1', 'c2']]);
  });

  it('with k of N results saved: it runs only the rest, with their keys', () => {
    const step = resumed({ phase: 'act', calls: [doneCall('c1', 'x'), openCall('c2'), doneCall('c3', 'y')] });
    expect(step).toMatchObject({ kind: 'act', calls: [{ id: 'c2', key: 'key-c2', attempt: 1 }] });
  });

  it('with all results saved and not yet messages: it runs nothing and makes messages of them', () => {
    const step = resumed({ phase: 'act', calls: [doneCall('c1', 'x')] });
    expect([step.kind, ids(step)]).toEqual(['act', []]);
  });

  it('with Act saved: it thinks', () => {
    expect(resumed({ phase: 'think', iterations: 1 })).toEqual({ kind: 'think' });
  });

  it('while the calls of a run that had ended were answered: it goes on answering, and runs none', () => {
    const step = resumed({ phase: 'act', settle: 'none', calls: [openCall('c1'), doneCall('c2', 'x')] });
    expect([step.kind, ids(step)]).toEqual(['settle', ['c1']]);
  });
});

describe('there is nothing to do', () => {
  it.each(['done', 'failed', 'cancelled', 'idle'] as const)(
    'on a run that is %s, whatever calls it left open',
    (phase) => {
      expect(next({ phase, calls: [openCall('c1')] })).toEqual({ kind: 'end' });
    },
  );

  it('on a thread that no agent has run on', () => {
    expect(next(undefined)).toEqual({ kind: 'end' });
  });
});

describe('a paused run', () => {
  const waiting = openCall('c1', { waits_for: 'approval' });
  const person = { phase: 'paused', owner: null, pause: { kind: 'person' } } as const;

  it('waits for a person while nobody has said anything on any of its open calls', () => {
    expect(waitsForPerson(runRecord({ ...person, calls: [waiting, doneCall('c2', 'x')] }))).toBe(true);
    const decided = { ...waiting, decision: { verdict: 'approve', id: 'd' } } as const;
    expect(waitsForPerson(runRecord({ ...person, calls: [decided] }))).toBe(false);
  });

  it.each(['none', 'reject'] as const)('waits for nobody where its calls are only answered: %s', (settle) => {
    expect(waitsForPerson(runRecord({ ...person, settle, calls: [waiting] }))).toBe(false);
  });
});

import { AsyncLocalStorage } from 'node:async_hooks';
import { type AgentEvent, AgentStateError, type Checkpointer } from '@agent-state/core';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { describe, expect, it } from 'vitest';
import { calls, createGate, says, startProcess, tool } from '../agent.ts';

type Store = Partial<Pick<Checkpointer, 'load' | 'save'>>;

/** The third save, that of the tool's result, and all after it fail. */
function failing(checkpointer: Checkpointer, fail: () => Promise<never>): Store {
  let saves = 0;
  return {
    save(threadId, write) {
      saves += 1;
      return saves < 3 ? checkpointer.save(threadId, write) : fail();
    },
  };
}

const rejects = (error: unknown) => async () => Promise.reject(error);
const denied = new AgentStateError('denied', 'No.');
const down = new AgentStateError('unavailable', 'Gone.', { applied: 'no' });
const hangs = () => new Promise<never>(() => {});

describe('every run that is said to have started is said to have ended, once, with its code', () => {
  it.each<[string, (checkpointer: Checkpointer) => Store, readonly string[]]>([
    ['nothing fails', () => ({}), ['done']],
    ['a save is denied', (store) => failing(store, rejects(denied)), ['denied']],
    ['saves throw what is no error of ours', (store) => failing(store, rejects(new Error('x'))), ['done']],
    ['saves are refused for good', (store) => failing(store, rejects(down)), ['done']],
    ['saves never answer', (store) => failing(store, hangs), ['done']],
    ['the load is denied', () => ({ load: rejects(denied) }), []],
    ['loads never answer', () => ({ load: hangs, save: hangs }), ['done']],
  ])('[S-OBS-01] where %s', async (_, fault, codes) => {
    const checkpointer = createMemoryCheckpointer();
    const turns = [calls('work', {}), says('Done.')];
    const faulty = { ...checkpointer, ...fault(checkpointer) };
    const short = { storeCallMs: 50, storeBudgetMs: 100 };
    const { agent, events } = startProcess(faulty, turns, [tool('work', () => 'worked')], short);
    await agent('t')
      .run('Go')
      .catch(() => {});
    expect(ended(events)).toEqual(codes);
  });

  it('[S-OBS-01] where a thread is deleted under its run, a model fails and a run is aborted', async () => {
    const checkpointer = createMemoryCheckpointer();
    const forget = tool('forget', () => checkpointer.delete('t'));
    const aborter = new AbortController();
    const waits = () => {
      aborter.abort();
      return hangs();
    };
    const fails = () => Promise.reject(new AgentStateError('model', 'No.'));
    for (const [turn, code] of [
      [calls('forget', {}), 'deleted'],
      [fails, 'model'],
      [waits, 'aborted'],
    ] as const) {
      const { agent, events } = startProcess(checkpointer, [turn], [forget]);
      await expect(agent('t').run('Go', { signal: aborter.signal })).rejects.toMatchObject({ code });
      expect(ended(events)).toEqual([code]);
    }
  });
});

/** The codes with which runs ended, each of which had started. */
function ended(events: readonly AgentEvent[]): string[] {
  const started = events.flatMap((event) => (event.type === 'run_started' ? [event.runId] : []));
  const ends = events.flatMap((event) => (event.type === 'run_ended' ? [event] : []));
  expect(ends.map(({ runId }) => runId)).toEqual(started);
  return ends.map(({ code }) => code);
}

it('[S-OBS-03] what the caller keeps in the context of a call, as telemetry keeps its span, is there in the model, the tools and the events, also where runs queue', async () => {
  const span = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const note = () => void seen.push(span.getStore());
  const gate = createGate();
  const turn = async () => {
    note();
    await gate.passed;
    return calls('work', {});
  };
  const answer = () => {
    note();
    return says('Done.');
  };
  const work = tool('work', note);
  const events: string[] = [];
  const onEvent = ({ type }: AgentEvent) => void events.push(`${type} in ${span.getStore()}`);
  const checkpointer = createMemoryCheckpointer();
  const { agent } = startProcess(checkpointer, [turn, answer, turn, answer], [work], { onEvent });
  const first = span.run('first', () => agent('t').run('a'));
  const second = span.run('second', () => agent('t').run('b'));
  gate.open();
  await Promise.all([first, second]);
  expect(seen).toEqual(['first', 'first', 'first', 'second', 'second', 'second']);
  expect(events.filter((event) => event.endsWith('in first'))).toHaveLength(events.length / 2);
  expect(events.filter((event) => event.endsWith('in second'))).toHaveLength(events.length / 2);
});

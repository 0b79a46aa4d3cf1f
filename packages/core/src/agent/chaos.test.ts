import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import { sleep } from '../protocol/runtime.ts';
import type { Message, ThreadState } from '../state/schema.ts';
import { asksFor, createWorld, named, type Process, says, type World } from '../testing/agents.ts';
import type { Fault } from '../testing/faulty.ts';
import type { TextThread } from '../testing/text-store.ts';
import { settle } from '../testing/virtual-runtime.ts';
import type { RunResult } from './api.ts';
import { textOf } from './record/text.ts';

const faults = ['refused', 'applied', 'lost', 'late', 'hangs', 'hangs_applied'] as const;

/** What happens: an input for one of two processes, after a pause, with faults for the calls that follow. */
interface Act {
  readonly process: 0 | 1;
  readonly pauseMs: number;
  readonly faults: readonly (Fault | 'fine')[];
  readonly outageMs: number;
  readonly lands: boolean;
  /** What happens to the record after the pause. */
  readonly event?: 'vanishes' | 'rolled_back' | 'deleted' | undefined;
}

const act = {
  process: fc.constantFrom(0 as const, 1 as const),
  pauseMs: fc.constantFrom(0, 5, 300, 4_000, 20_000),
  faults: fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant('fine' as const) }, fc.constantFrom(...faults)), {
    maxLength: 8,
  }),
  outageMs: fc.constantFrom(0, 0, 0, 100, 3_000, 15_000),
  lands: fc.boolean(),
};
const event = fc.constantFrom(undefined, undefined, 'vanishes' as const, 'rolled_back' as const, 'deleted' as const);
const plays = fc.array(fc.record<Act>(act), { minLength: 1, maxLength: 6 });
const disasters = fc.array(fc.record<Act>({ ...act, event }), { minLength: 1, maxLength: 6 });

interface Played {
  readonly world: World;
  readonly processes: readonly Process[];
  readonly outcomes: readonly (RunResult | string)[];
  /** How often each tool call ran, by its key. */
  readonly ran: ReadonlyMap<string, number>;
  /** What was stored when the thread was deleted. */
  readonly deleted: ReadonlySet<Message['content']>;
}

async function play(acts: readonly Act[], processOf: (act: Act) => 0 | 1): Promise<Played> {
  const world = createWorld();
  const { runtime } = world;
  const ran = new Map<string, number>();
  const tool = (name: string, ms: number) =>
    named(name, async (_, { idempotencyKey }) => {
      ran.set(idempotencyKey, (ran.get(idempotencyKey) ?? 0) + 1);
      await sleep(runtime, ms);
      return name;
    });
  const thinks = ({ messages }: { messages: readonly Message[] }) => {
    const last = messages.at(-1) as Message;
    return last.role === 'user'
      ? asksFor('quick', 'slow')
      : says(`answer to ${textOf(messages.findLast(({ role }) => role === 'user') as Message)}`);
  };
  const turns = Array.from({ length: 99 }, () => thinks);
  const processes = [0, 1].map(() => world.process(turns, [tool('quick', 0), tool('slow', 200)]));
  const runs: Promise<RunResult | string>[] = [];
  const { threads } = world.store;
  const snapshots: (TextThread | undefined)[] = [];
  const deleted = new Set<Message['content']>();
  const happen = async (event: Act['event']) => {
    const before = snapshots[snapshots.length - 2];
    if (event === 'vanishes') threads.delete('t');
    if (event === 'rolled_back' && before && threads.has('t') && deleted.size === 0) threads.set('t', before);
    if (event === 'deleted') {
      for (const { content } of (await stored(world))?.history ?? []) deleted.add(content);
      await defineCheckpointer(world.store, runtime).delete('t');
    }
    snapshots.push(structuredClone(threads.get('t')));
  };
  for (const [index, act] of acts.entries()) {
    const { agent, client } = processes[processOf(act)] as Process;
    client.next('save', ...act.faults);
    client.next('peek', ...act.faults.slice(3));
    client.next('load', ...act.faults.slice(5));
    if (act.outageMs > 0) {
      client.down(act.lands ? 'hangs' : 'refused');
      runtime.after(act.outageMs, () => client.up());
    }
    if (act.lands) runtime.after(act.pauseMs + 60, () => void client.land());
    runs.push(agent.run(`input ${index}`).catch((error: { code: string }) => error.code));
    await runtime.advance(act.pauseMs);
    await happen(act.event);
  }
  const outcomes = await runtime.until(Promise.all(runs));
  for (const { client } of processes) client.up();
  await runtime.advance(120_000);
  await Promise.all(processes.map(({ client }) => client.land()));
  await runtime.advance(60_000);
  return { world, processes, outcomes, ran, deleted };
}

async function stored(world: World): Promise<ThreadState | undefined> {
  const thread = await defineCheckpointer(world.store, world.runtime).load('t');
  return thread.found ? thread.state : undefined;
}

/** Every call is followed by its results, in order, before anything else. */
function assertPaired(history: readonly Message[]): void {
  for (const [index, { metadata }] of history.entries()) {
    const ids = metadata?.tool_calls?.map(({ id }) => id) ?? [];
    const results = history.slice(index + 1, index + 1 + ids.length).map((message) => message.metadata?.tool_call_id);
    expect(results).toEqual(ids);
  }
}

/** What holds after any play, whatever went wrong; what was stored may have been lost by the store itself. */
async function assertSound({ world, processes }: Played): Promise<string[]> {
  const state = await stored(world);
  const texts = (state?.history ?? []).map(textOf);
  const once = texts.filter((text) => text.startsWith('input') || text.startsWith('answer'));
  expect(new Set(once).size).toBe(once.length);
  if (state?.run?.phase !== 'act') assertPaired(state?.history ?? []);
  await settle();
  expect(world.runtime.pending('all')).toBe(0);
  for (const { factory, agent } of processes) {
    expect(agent.status()).toEqual({ running: false, durable: true, volatile: false, unsavedSteps: 0 });
    expect(await factory.close()).toEqual({ unsaved: [] });
  }
  return texts;
}

/** A store that loses nothing of its own has all that it acknowledged. */
async function assertDurable({ world, outcomes }: Played, texts: readonly string[]): Promise<void> {
  for (const outcome of outcomes) {
    if (typeof outcome !== 'string' && outcome.durable) expect(texts).toContain(outcome.answer);
  }
  const steps = await defineCheckpointer(world.store).steps('t');
  expect(steps.map(({ step }) => step)).toEqual(steps.map((_, index) => index + 1));
}

describe('whatever goes wrong with the store', () => {
  it('one process loses nothing, doubles nothing, runs no tool twice, and holds nothing in the end', async () => {
    await fc.assert(
      fc.asyncProperty(plays, async (acts) => {
        const played = await play(acts, () => 0);
        await assertDurable(played, await assertSound(played));
        expect([...played.ran.values()].every((count) => count === 1)).toBe(true);
        // A run whose load failed may find that the thread was there: what it did in memory is told lost.
        if (played.processes[0]?.types().includes('diverged')) return;
        expect(played.outcomes.filter((outcome) => typeof outcome === 'string')).toEqual([]);
        const texts = ((await stored(played.world))?.history ?? []).map(textOf);
        const answers = texts.filter((text) => text.startsWith('answer'));
        expect(answers).toEqual(acts.map((_, index) => `answer to input ${index}`));
      }),
      { numRuns: 150 },
    );
  });

  it('two processes never double or tear a thread, and what was said to be durable is there', async () => {
    await fc.assert(
      fc.asyncProperty(plays, async (acts) => {
        const played = await play(acts, ({ process }) => process);
        await assertDurable(played, await assertSound(played));
        for (const outcome of played.outcomes) {
          if (typeof outcome === 'string') expect(['taken_over', 'busy']).toContain(outcome);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('also where the store loses the record, or has an older one, or somebody deletes it: nothing is doubled or torn, and nothing comes back', async () => {
    await fc.assert(
      fc.asyncProperty(disasters, async (acts) => {
        const played = await play(acts, ({ process }) => process);
        const texts = await assertSound(played);
        for (const outcome of played.outcomes) {
          if (typeof outcome === 'string') expect(['taken_over', 'busy', 'deleted']).toContain(outcome);
        }
        for (const text of texts) if (text.startsWith('input')) expect(played.deleted).not.toContain(text);
      }),
      { numRuns: 150 },
    );
  });
});

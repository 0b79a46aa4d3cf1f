import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../../protocol/define.ts';
import { AgentStateError } from '../../protocol/errors.ts';
import { appendTo } from '../../state/encode.ts';
import { createFaulty, type Fault } from '../../testing/faulty.ts';
import { user } from '../../testing/samples.ts';
import { createTextStore } from '../../testing/text-store.ts';
import { createVirtualRuntime, settle } from '../../testing/virtual-runtime.ts';
import type { AgentEvent } from '../events.ts';
import { startRun } from '../record/claims.ts';
import { newThread } from '../record/transitions.ts';
import { createHold, type Hold, isUnsaved, stop, update } from './hold.ts';
import { storePolicy } from './policy.ts';
import { flush } from './save.ts';
import type { Saver } from './saver.ts';
import { createStorePort } from './store-port.ts';
import { createProbes } from './volatile.ts';

type Policy = Parameters<typeof storePolicy>[0];

function setting(options: Policy = {}) {
  const runtime = createVirtualRuntime();
  const store = createTextStore();
  const threads = defineCheckpointer(store, runtime);
  const client = createFaulty(threads);
  const events: AgentEvent[] = [];
  const warnings: object[] = [];
  const policy = storePolicy(options);
  let probes = 0;
  const forks: Hold[] = [];
  const probe = createProbes(() => {
    probes -= 1;
  });
  const saver: Saver = {
    port: createStorePort(client, runtime, policy.callMs),
    policy,
    runtime,
    logger: { info() {}, warn: (fields) => void warnings.push(fields), error() {} },
    owner: 'me',
    tombstones: true,
    outage: new Set(),
    emit: (event) => void events.push(event),
    adopt: (hold) => void forks.push(hold),
    probe(hold) {
      probes += 1;
      void probe(saver, hold);
    },
  };

  /** A hold as a run has it: loaded, and with an input that is not saved yet. */
  const open = async (loaded?: 'unknown'): Promise<Hold> => {
    const hold = createHold(
      't',
      loaded ?? (await threads.load('t')),
      () => newThread({ profile: 'p' }, '2026-11-29T10:00:00Z'),
      runtime.monotonic(),
    );
    const claim = { runId: 'r', inputId: 'i', owner: 'me', input: user('input') };
    update(hold, (state) => startRun(state, claim));
    return hold;
  };
  /** The same, with its claim acknowledged. */
  const owned = async (): Promise<Hold> => {
    const hold = await open();
    await flush(saver, hold, hold.halt.signal);
    events.length = 0;
    client.calls.length = 0;
    return hold;
  };
  const save = (hold: Hold) => runtime.until(flush(saver, hold, hold.halt.signal));
  const stored = async () => {
    const thread = await threads.load('t');
    return thread.found ? thread.state.history.map(({ content }) => content) : thread;
  };
  const types = () => events.map(({ type }) => type);
  return {
    runtime,
    store,
    threads,
    client,
    events,
    types,
    warnings,
    forks,
    saver,
    open,
    owned,
    save,
    stored,
    probes: () => probes,
  };
}

/** One more message, as a step makes it. */
const say = (hold: Hold, text: string) =>
  update(hold, (state) => ({ ...state, history: appendTo(state.history, [user(text)]) }));

describe('a save', () => {
  it('that is under way when the hold is stopped is not made again', async () => {
    const { owned, client, runtime, saver, store } = setting();
    const hold = await owned();
    say(hold, 'a');
    // A record that is gone would be written again at once.
    client.next('save', async () => {
      store.threads.clear();
      stop(hold, new AgentStateError('closed', 'As scripted.'));
    });
    await expect(runtime.until(flush(saver, hold, hold.halt.signal))).rejects.toMatchObject({ code: 'closed' });
    expect(store.threads.size).toBe(0);
  });

  it('is one call, and says that the store acknowledged it', async () => {
    const { owned, save, client, stored } = setting();
    const hold = await owned();
    say(hold, 'a');
    expect(await save(hold)).toBe(true);
    expect(client.calls.map(({ call }) => call)).toEqual(['save']);
    expect(await stored()).toEqual(['input', 'a']);
  });

  it('of nothing new is no call', async () => {
    const { owned, save, client } = setting();
    const hold = await owned();
    expect(await save(hold)).toBe(true);
    expect(client.calls).toEqual([]);
  });

  it('of a thread comes after the one under way, and takes all changes made meanwhile with it', async () => {
    const { owned, saver, store, stored, runtime } = setting();
    const hold = await owned();
    const flushes = ['a', 'b', 'c', 'd'].map((text) => {
      say(hold, text);
      return flush(saver, hold, hold.halt.signal);
    });
    expect(await runtime.until(Promise.all(flushes))).toEqual([true, true, true, true]);
    expect(store.written).toHaveLength(3);
    expect(await stored()).toEqual(['input', 'a', 'b', 'c', 'd']);
  });

  it('sends what is new and nothing else', async () => {
    const { owned, save, store } = setting();
    const hold = await owned();
    say(hold, 'a');
    await save(hold);
    expect(store.written.at(-1)?.messages.map(({ index }) => index)).toEqual([1]);
    expect(store.written.at(-1)?.variables).toBeUndefined();
  });
});

describe('a save that goes wrong once is done within the budget, once, without a word', () => {
  it.each<[string, readonly Fault[]]>([
    ['refused', ['refused']],
    ['refused for a while', ['refused', 'refused', 'refused', 'refused']],
    ['its answer lost, nothing done', ['lost']],
    ['done, its answer lost', ['applied']],
    ['no answer, nothing done', ['hangs']],
    ['done, no answer', ['hangs_applied']],
    ['done twice over, each answer lost', ['applied', 'applied']],
    ['something else is thrown', [{ throws: new TypeError('socket') }]],
  ])('%s', async (_, faults) => {
    const { owned, save, client, stored, warnings, types, store } = setting();
    const hold = await owned();
    client.next('save', ...faults);
    say(hold, 'a');
    expect(await save(hold)).toBe(true);
    expect(await stored()).toEqual(['input', 'a']);
    expect(store.written).toHaveLength(2);
    expect([warnings, types()]).toEqual([[], []]);
  });

  it('its claim as well', async () => {
    const { open, save, client, stored } = setting();
    const hold = await open();
    client.next('save', 'applied');
    expect(await save(hold)).toBe(true);
    expect(hold.claim).toBe(hold.state.run && store(hold));
    expect(await stored()).toEqual(['input']);

    function store({ base }: Hold) {
      return base !== 'unknown' && 'etag' in base ? base.etag : undefined;
    }
  });

  it('landing after it was thought lost is found out, and nothing is written twice', async () => {
    const { owned, save, client, stored, runtime } = setting();
    const hold = await owned();
    client.next('save', 'late', 'refused');
    say(hold, 'a');
    runtime.after(60, () => void client.land());
    expect(await save(hold)).toBe(true);
    say(hold, 'b');
    expect(await save(hold)).toBe(true);
    expect(await stored()).toEqual(['input', 'a', 'b']);
  });

  it('landing when another has been done in its place is refused by the store', async () => {
    const { owned, save, client, stored } = setting();
    const hold = await owned();
    client.next('save', 'late');
    say(hold, 'a');
    expect(await save(hold)).toBe(true);
    expect(await client.land()).toEqual([false]);
    say(hold, 'b');
    expect(await save(hold)).toBe(true);
    expect(await stored()).toEqual(['input', 'a', 'b']);
  });

  it('a client that missed its deadline is told so; one that answered is not', async () => {
    const { owned, save, client } = setting();
    const hold = await owned();
    client.next('save', 'refused', 'hangs');
    say(hold, 'a');
    await save(hold);
    expect(client.resets).toBe(1);
  });
});

describe('the budget', () => {
  const tried = async (faults: (client: ReturnType<typeof setting>['client']) => void, options: Policy = {}) => {
    const { owned, save, client, runtime } = setting(options);
    const hold = await owned();
    faults(client);
    say(hold, 'a');
    const began = runtime.monotonic();
    const saved = await save(hold);
    return { ms: runtime.monotonic() - began, saved };
  };

  it.each<[string, (client: ReturnType<typeof setting>['client']) => void]>([
    ['everything is refused', (client) => client.down()],
    ['nothing answers', (client) => client.down('hangs')],
    [
      'saves hang and reads are refused',
      (client) => {
        client.next('save', ...Array<'hangs'>(9).fill('hangs'));
        client.next('peek', ...Array<'refused'>(9).fill('refused'));
      },
    ],
    [
      'saves are lost and reads hang',
      (client) => {
        client.next('save', ...Array<'lost'>(9).fill('lost'));
        client.next('peek', ...Array<'hangs'>(9).fill('hangs'));
      },
    ],
    [
      'the first save hangs, then reads hang',
      (client) => {
        client.next('save', 'refused', 'refused', 'refused', 'hangs', 'hangs', 'hangs');
        client.next('peek', 'hangs', 'hangs', 'hangs');
      },
    ],
  ])('is never spent beyond what was stated: %s', async (_, faults) => {
    for (const options of [
      {},
      { callMs: 900, budgetMs: 1_000 },
      { callMs: 5_000, budgetMs: 1_000 },
      { callMs: 100, budgetMs: 3_000 },
    ]) {
      const { budgetMs = 5_000 } = options as Policy;
      expect((await tried(faults, options)).ms).toBeLessThanOrEqual(budgetMs);
    }
  });

  it('is used: a store that is back within it is found', async () => {
    const { owned, save, client, runtime, types } = setting();
    const hold = await owned();
    client.down();
    runtime.after(2_500, () => client.up());
    say(hold, 'a');
    expect(await save(hold)).toBe(true);
    expect(types()).toEqual([]);
  });

  it('is not spent in a hurry: a store that refuses is asked a few times only', async () => {
    const { owned, save, client } = setting();
    const hold = await owned();
    client.down();
    say(hold, 'a');
    await save(hold);
    expect(client.calls.length).toBeLessThan(12);
  });
});

describe('past the budget', () => {
  it('the run goes on in memory: one warning, one event, and no save waits any more', async () => {
    const { owned, save, client, runtime, warnings, types } = setting();
    const hold = await owned();
    client.down();
    say(hold, 'a');
    expect(await save(hold)).toBe(false);
    const began = runtime.monotonic();
    for (const text of ['b', 'c', 'd']) {
      say(hold, text);
      expect(await save(hold)).toBe(false);
    }
    expect(runtime.monotonic()).toBe(began);
    await runtime.advance(600_000);
    expect(warnings).toHaveLength(1);
    expect(types()).toEqual(['volatile']);
  });

  it('many threads of one outage are one warning', async () => {
    const { owned, save, client, saver, warnings, runtime } = setting();
    const hold = await owned();
    const second = createHold('u', { found: false, tombstone: null }, () => hold.state, 0);
    client.down();
    for (const each of [hold, second]) {
      say(each, 'a');
      await save(each);
    }
    expect(warnings).toHaveLength(1);
    client.up();
    await runtime.advance(60_000);
    expect(saver.outage.size).toBe(0);
    client.down();
    say(hold, 'b');
    await save(hold);
    expect(warnings).toHaveLength(2);
  });

  it('it throws where the policy says so, and writes nothing more', async () => {
    const { owned, save, client, types } = setting({ onStoreDown: 'throw' });
    const hold = await owned();
    client.down();
    say(hold, 'a');
    await expect(save(hold)).rejects.toMatchObject({ code: 'unavailable' });
    client.up();
    await expect(save(hold)).rejects.toMatchObject({ code: 'unavailable' });
    expect([types(), hold.halt.signal.aborted]).toEqual([[], true]);
  });

  it('it waits where the policy says so, for as long as it takes', async () => {
    const { owned, save, client, runtime, types, stored } = setting({ onStoreDown: 'wait' });
    const hold = await owned();
    client.down();
    runtime.after(3_600_000, () => client.up());
    say(hold, 'a');
    expect(await save(hold)).toBe(true);
    expect(types()).toEqual([]);
    expect(await stored()).toEqual(['input', 'a']);
  });

  it('a wait ends with the run: what is not stored is kept, and saved later', async () => {
    const { owned, saver, client, runtime, stored } = setting({ onStoreDown: 'wait' });
    const hold = await owned();
    client.down();
    const aborter = new AbortController();
    runtime.after(10_000, () => aborter.abort());
    say(hold, 'a');
    expect(await runtime.until(flush(saver, hold, aborter.signal))).toBe(false);
    expect(runtime.monotonic()).toBeLessThan(10_100);
    client.up();
    await runtime.advance(30_000);
    expect(await stored()).toEqual(['input', 'a']);
  });

  it('an abort does not turn the retries into a storm', async () => {
    const { owned, saver, client, runtime } = setting();
    const hold = await owned();
    client.down();
    say(hold, 'a');
    const aborter = new AbortController();
    aborter.abort();
    await runtime.until(flush(saver, hold, aborter.signal));
    expect(client.calls.length).toBeLessThan(12);
  });
});

describe('what is not an outage stops the run at once, and what is stored is left as it is', () => {
  it.each(['denied', 'too_large', 'corrupt', 'schema_too_new', 'deleted', 'closed'] as const)('%s', async (code) => {
    const { owned, save, client, types, stored } = setting();
    const hold = await owned();
    client.next('save', { code });
    say(hold, 'a');
    await expect(save(hold)).rejects.toMatchObject({ code });
    await expect(save(hold)).rejects.toMatchObject({ code });
    expect(client.calls).toHaveLength(1);
    expect(hold.halt.signal.reason).toMatchObject({ code });
    expect([await stored(), types()]).toEqual([['input'], []]);
  });

  it('found out on reading back as well', async () => {
    const { owned, save, client } = setting();
    const hold = await owned();
    client.next('save', 'lost');
    client.next('peek', { code: 'denied' });
    say(hold, 'a');
    await expect(save(hold)).rejects.toMatchObject({ code: 'denied' });
  });

  it('a value that cannot be stored is told with its path', async () => {
    const { owned, save } = setting();
    const hold = await owned();
    update(hold, (state) => ({ ...state, variables: { at: new Date(0) } as never }));
    await expect(save(hold)).rejects.toMatchObject({ code: 'not_serializable', path: 'variables.at' });
  });

  it('waiting savers are told too', async () => {
    const { owned, saver, client, runtime } = setting();
    const hold = await owned();
    client.next('save', { code: 'denied' });
    say(hold, 'a');
    const first = flush(saver, hold, hold.halt.signal);
    say(hold, 'b');
    const outcomes = Promise.allSettled([first, flush(saver, hold, hold.halt.signal)]);
    expect((await runtime.until(outcomes)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

describe('somebody else', () => {
  it('who took the thread over stops the run; nothing more is written', async () => {
    const { owned, save, client, threads, stored, types } = setting();
    const hold = await owned();
    client.next('save', () => threads.save('t', { state: { history: [user('theirs')] } }));
    say(hold, 'a');
    await expect(save(hold)).rejects.toMatchObject({ code: 'taken_over', threadId: 't' });
    await expect(save(hold)).rejects.toMatchObject({ code: 'taken_over' });
    expect([await stored(), types()]).toEqual([['theirs'], []]);
  });

  it('found on reading back, after a save whose answer was lost', async () => {
    const { owned, save, client, threads, stored } = setting();
    const hold = await owned();
    client.next('save', 'lost');
    client.next('peek', () => threads.save('t', { state: { history: [user('theirs')] } }));
    say(hold, 'a');
    await expect(save(hold)).rejects.toMatchObject({ code: 'taken_over' });
    expect(await stored()).toEqual(['theirs']);
  });

  it('who was first to claim it: begin again', async () => {
    const { open, save, client, threads } = setting();
    const hold = await open();
    client.next('save', () => threads.save('t', { state: { history: [user('theirs')] } }));
    await expect(save(hold)).rejects.toMatchObject({ code: 'busy' });
    expect(hold.claim).toBeNull();
  });

  it('who deleted it', async () => {
    const { owned, save, client, threads } = setting();
    const hold = await owned();
    client.next('save', () => threads.delete('t'));
    say(hold, 'a');
    await expect(save(hold)).rejects.toMatchObject({ code: 'deleted' });
    expect((await threads.load('t')).found).toBe(false);
  });

  it('who deleted it and began anew', async () => {
    const { owned, save, client, threads, stored } = setting();
    const hold = await owned();
    client.next('save', async () => {
      await threads.delete('t');
      await threads.save('t', { state: { history: [user('new life')] } });
    });
    say(hold, 'a');
    await expect(save(hold)).rejects.toMatchObject({ code: 'deleted' });
    expect(await stored()).toEqual(['new life']);
  });
});

describe('a store that has an older record', () => {
  it('of mine is sent everything after it again, with its step records', async () => {
    const { owned, save, store, stored, types } = setting();
    const hold = await owned();
    const step = { phase: 'think', at: '2026-11-29T10:00:00Z', run_id: 'r' } as const;
    say(hold, 'a');
    hold.steps.push({ ...step, step: 1, history_length: 2 });
    await save(hold);
    const before = structuredClone(store.threads.get('t'));
    say(hold, 'b');
    hold.steps.push({ ...step, step: 2, history_length: 3 });
    await save(hold);
    store.threads.set('t', before as NonNullable<typeof before>);
    say(hold, 'c');
    expect(await save(hold)).toBe(true);
    expect(types()).toEqual(['rolled_back']);
    expect(await stored()).toEqual(['input', 'a', 'b', 'c']);
    expect(store.threads.get('t')?.steps.size).toBe(2);
  });

  it('from before my claim', async () => {
    const { owned, save, store, threads, open, stored, types } = setting();
    await threads.save('t', { state: { history: [user('old')] } });
    const before = structuredClone(store.threads.get('t'));
    const hold = await open();
    await save(hold);
    store.threads.set('t', before as NonNullable<typeof before>);
    say(hold, 'a');
    expect(await save(hold)).toBe(true);
    expect(types()).toEqual(['rolled_back']);
    expect(await stored()).toEqual(['old', 'input', 'a']);
    expect(owned).toBeDefined();
  });
});

describe('a record that is gone', () => {
  it('without a delete is written again from memory, whole, in a new life', async () => {
    const { owned, save, store, stored, types } = setting();
    const hold = await owned();
    const { born } = hold.life;
    store.threads.clear();
    say(hold, 'a');
    expect(await save(hold)).toBe(true);
    expect(types()).toEqual(['vanished']);
    expect(await stored()).toEqual(['input', 'a']);
    expect(hold.life.born).not.toBe(born);
    say(hold, 'b');
    expect(await save(hold)).toBe(true);
  });

  it('over the tombstone that its life began over, as well', async () => {
    const { owned, save, store, threads, stored } = setting();
    await threads.delete('t');
    const hold = await owned();
    store.threads.clear();
    say(hold, 'a');
    expect(await save(hold)).toBe(true);
    expect(await stored()).toEqual(['input', 'a']);
  });

  it('because its time was up stays gone', async () => {
    const { owned, save, store, threads, runtime } = setting({ ttl: { ttlMs: 60_000, pausedTtlMs: null } });
    const hold = await owned();
    await runtime.advance(60_000);
    store.threads.clear();
    say(hold, 'a');
    await expect(save(hold)).rejects.toMatchObject({ code: 'deleted' });
    expect((await threads.load('t')).found).toBe(false);
  });

  it('before my claim was acknowledged is nothing of mine: begin again', async () => {
    const { open, save, store, threads } = setting();
    await threads.save('t', { state: { history: [user('old')] } });
    const hold = await open();
    store.threads.clear();
    await expect(save(hold)).rejects.toMatchObject({ code: 'busy' });
  });
});

describe('coming back from an outage', () => {
  const outage = async (texts: readonly string[], options: Policy = {}) => {
    const all = setting(options);
    const hold = await all.owned();
    all.client.down();
    for (const text of texts) {
      say(hold, text);
      hold.steps.push({
        step: 1,
        phase: 'think',
        at: '2026-11-29T10:00:00Z',
        run_id: 'r',
        history_length: hold.state.history.length,
      });
      await all.save(hold);
    }
    return { ...all, hold };
  };

  it('stores every step in one write, and says so', async () => {
    const { client, runtime, stored, store, hold, events, warnings } = await outage(['a', 'b', 'c']);
    client.up();
    await runtime.advance(30_000);
    expect(await stored()).toEqual(['input', 'a', 'b', 'c']);
    expect(store.written).toHaveLength(2);
    expect(store.threads.get('t')?.steps.size).toBe(3);
    expect(events.at(-1)).toEqual({ type: 'rejoined', threadId: 't', steps: 3 });
    expect([hold.volatile, isUnsaved(hold), warnings.length]).toEqual([false, false, 1]);
  });

  it('goes on as before: the next save waits for the store again', async () => {
    const { client, runtime, save, hold, stored } = await outage(['a']);
    client.up();
    await runtime.advance(30_000);
    say(hold, 'b');
    expect(await save(hold)).toBe(true);
    expect(await stored()).toEqual(['input', 'a', 'b']);
  });

  it('takes what is said meanwhile with it', async () => {
    const { client, runtime, hold, stored } = await outage(['a']);
    client.up();
    client.next('save', async () => say(hold, 'meanwhile'));
    await runtime.advance(30_000);
    expect([await stored(), isUnsaved(hold)]).toEqual([['input', 'a', 'meanwhile'], false]);
  });

  it('a save wakes the probe, and a store that is back is found soon after', async () => {
    const { client, runtime, save, hold, stored } = await outage(['a']);
    await runtime.advance(120_000);
    client.up();
    await runtime.advance(300);
    say(hold, 'b');
    expect(await save(hold)).toBe(false);
    await runtime.advance(0);
    expect(await stored()).toEqual(['input', 'a', 'b']);
  });

  it('does not press a store that is down, however often a save wakes it, nor keep the process alive', async () => {
    const { client, runtime, save, hold } = await outage(['a']);
    const before = client.calls.length;
    for (let ms = 0; ms < 10_000; ms += 10) {
      say(hold, 'x');
      await save(hold);
      await runtime.advance(10);
    }
    expect(client.calls.length - before).toBeLessThanOrEqual(41);
    expect([runtime.pending(), runtime.pending('all')]).toEqual([0, 1]);
  });

  it('remembers the last writes that were refused, and no more: an outage may be long', async () => {
    const { runtime, hold } = await outage(['a']);
    await runtime.advance(24 * 3_600_000);
    expect(hold.writes.size).toBeGreaterThan(60);
    expect(hold.writes.size).toBeLessThan(70);
  });

  it('finds its own write that had landed, and goes on from it', async () => {
    const { owned, save, client, runtime, stored, types } = setting();
    const hold = await owned();
    client.next('save', 'applied');
    client.next('peek', ...Array<'refused'>(20).fill('refused'));
    client.next('save', ...Array<'refused'>(8).fill('refused'));
    say(hold, 'a');
    expect(await save(hold)).toBe(false);
    say(hold, 'b');
    await runtime.advance(60_000);
    expect([await stored(), types()]).toEqual([
      ['input', 'a', 'b'],
      ['volatile', 'rejoined'],
    ]);
  });

  it('finds the thread gone on: never overwrites, keeps its own steps under another id, and stops', async () => {
    const { threads, client, runtime, stored, events, hold, probes, forks } = await outage(['a', 'b']);
    await threads.save('t', { state: { history: [user('theirs')] } });
    client.up();
    await runtime.advance(30_000);
    expect(await stored()).toEqual(['theirs']);
    const [fork] = forks;
    expect(fork?.state.history.map(({ content }) => content)).toEqual(['input', 'a', 'b']);
    expect(events.at(-1)).toEqual({ type: 'diverged', threadId: 't', forkId: fork?.threadId, steps: 2 });
    expect(hold.stopped).toMatchObject({ code: 'taken_over', forkId: fork?.threadId });
    expect([probes(), runtime.pending('all')]).toEqual([0, 0]);
  });

  it('finds it deleted: nothing of it comes back', async () => {
    const { threads, client, runtime, hold } = await outage(['a']);
    await threads.delete('t');
    client.up();
    await runtime.advance(30_000);
    expect((await threads.load('t')).found).toBe(false);
    expect(hold.stopped).toMatchObject({ code: 'deleted' });
  });

  it('finds it vanished: it is written again', async () => {
    const { store, client, runtime, stored, types } = await outage(['a']);
    store.threads.clear();
    client.up();
    await runtime.advance(30_000);
    expect([await stored(), types()]).toEqual([
      ['input', 'a'],
      ['volatile', 'vanished', 'rejoined'],
    ]);
  });

  it('ends when the hold is stopped: no further call is made', async () => {
    const { client, runtime, hold, probes, saver } = await outage(['a']);
    const before = client.calls.length;
    stop(hold, new AgentStateError('closed', 'Closed.'));
    await settle();
    expect([client.calls.length - before, probes(), runtime.pending('all'), saver.outage.size]).toEqual([0, 0, 0, 0]);
  });

  it('a flapping store costs one warning each time it goes down, and ends stored', async () => {
    const { client, runtime, save, hold, stored, warnings, types } = await outage(['0']);
    for (let round = 1; round <= 5; round += 1) {
      client.up();
      await runtime.advance(30_000);
      client.down();
      say(hold, `${round}`);
      await save(hold);
    }
    client.up();
    await runtime.advance(30_000);
    expect(await stored()).toEqual(['input', '0', '1', '2', '3', '4', '5']);
    expect([warnings.length, types().filter((type) => type === 'rejoined').length]).toEqual([6, 6]);
  });
});

describe('after a load that failed', () => {
  const blind = async () => {
    const all = setting();
    all.client.down();
    const hold = await all.open('unknown');
    hold.volatile = true;
    all.saver.outage.add(hold);
    all.saver.probe(hold);
    return { ...all, hold };
  };

  it('a thread that is there is never overwritten: the steps in memory are told lost', async () => {
    const { threads, client, runtime, stored, types, hold, store } = await blind();
    await threads.save('t', { state: { history: [user('was there')] } });
    client.up();
    await runtime.advance(30_000);
    expect([await stored(), types()]).toEqual([['was there'], ['diverged']]);
    expect(hold.stopped).toMatchObject({ code: 'taken_over' });
    expect(store.written).toHaveLength(1);
  });

  it('a thread that is absent is created', async () => {
    const { client, runtime, stored, types } = await blind();
    client.up();
    await runtime.advance(30_000);
    expect([await stored(), types()]).toEqual([['input'], ['rejoined']]);
  });

  it('a thread that was deleted stays deleted', async () => {
    const { threads, client, runtime, hold, store } = await blind();
    await threads.delete('t');
    client.up();
    await runtime.advance(30_000);
    expect(hold.stopped).toMatchObject({ code: 'deleted' });
    expect(store.written).toEqual([]);
  });

  it('a thread that somebody creates just before is not overwritten either', async () => {
    const { threads, client, runtime, stored, types } = await blind();
    client.up();
    client.next('save', () => threads.save('t', { state: { history: [user('theirs')] } }));
    await runtime.advance(30_000);
    expect([await stored(), types()]).toEqual([['theirs'], ['diverged']]);
  });

  it('a create that landed, though its answer was lost, is its own', async () => {
    const { client, runtime, stored, types } = await blind();
    client.up();
    client.next('save', 'applied');
    client.next('peek', 'fine', 'refused');
    await runtime.advance(30_000);
    expect([await stored(), types()]).toEqual([['input'], ['rejoined']]);
  });
});

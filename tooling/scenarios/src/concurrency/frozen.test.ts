import { describe, expect, it } from 'vitest';
import { lines } from '../agent.ts';
import { loaded } from '../stored.ts';
import type { Work } from './holder.ts';
import { type Company, newThread, sharedStores, startCompany } from './holders.ts';
import type { Holder } from './start-holder.ts';

const heartbeatMs = 500;
const turns = [{ calls: ['hold', 'work'] }, { says: 'Done.' }] as const;
const afterTheTools = ['system: Be helpful.', 'user: One', 'assistant: null', 'tool: held', 'tool: worked'];

/** One process works on a thread, and shows that it lives; another waits for its turn. */
async function startBoth({ holders }: Company, turnsOfWaiter: Work['turns'] = turns) {
  const [owner, other] = holders as [Holder, Holder];
  const threadId = newThread();
  const options = { heartbeatMs };
  const mine = owner.begin({ threadId, input: 'One', turns, options });
  await mine.at('hold');
  const waiter = other.begin({ threadId, input: 'Two', turns: turnsOfWaiter, options });
  await waiter.at('waiting');
  return { threadId, owner, mine, waiter };
}

describe.each(sharedStores)('on $name, a process that is frozen in a tool', (shared) => {
  const company = startCompany(shared, 2);

  it('[E2] and wakes when another has finished its run: its late save is refused, and what is there stands', async () => {
    const { holders, store } = company();
    const [owner, other] = holders as [Holder, Holder];
    const threadId = newThread();
    const mine = owner.begin({ threadId, input: 'One', turns });
    await mine.at('hold');
    owner.signal('SIGSTOP');
    const theirs = other.begin({ threadId, turns });
    theirs.release();
    expect(await theirs.ended).toMatchObject({ outcome: 'done', durable: true, ran: ['hold', 'work'], warnings: [] });
    const stored = await loaded(store, threadId);
    expect(lines(stored.state.history)).toEqual([...afterTheTools, 'assistant: Done.']);
    owner.signal('SIGCONT');
    mine.release();
    const woken = await mine.ended;
    expect(woken).toMatchObject({ outcome: 'taken_over', ran: ['hold'], ranLate: [], warnings: [] });
    expect(woken.conflicts).toBeGreaterThan(0);
    expect(woken.events).not.toContain('diverged');
    expect(await loaded(store, threadId)).toEqual(stored);
  });

  it('[E4] is waited for while it lives, and taken over after three silent heartbeats', async () => {
    const { store } = company();
    const { threadId, owner, mine, waiter } = await startBoth(company());
    const claimed = waiter.at('run_started');
    const { revision } = await loaded(store, threadId);
    // Longer than it would be waited for, were it silent.
    const beats = async () => (await loaded(store, threadId)).revision - revision;
    await expect.poll(beats, { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
    expect((await loaded(store, threadId)).state.run).toMatchObject({ epoch: 1, phase: 'act' });
    owner.signal('SIGSTOP');
    const lastBeat = Date.parse((await loaded(store, threadId)).state.updated_at);
    await claimed;
    expect(Date.now() - lastBeat).toBeGreaterThanOrEqual(3 * heartbeatMs);
    waiter.release();
    expect(await waiter.ended).toMatchObject({ outcome: 'done', durable: true, ran: ['hold', 'work'], warnings: [] });
    const stored = await loaded(store, threadId);
    expect(lines(stored.state.history)).toEqual([...afterTheTools, 'user: Two', 'assistant: Done.']);
    expect(stored.state.run).toMatchObject({ epoch: 2, owner: null });
    owner.signal('SIGCONT');
    mine.release();
    expect(await mine.ended).toMatchObject({ outcome: 'taken_over', ran: ['hold'], ranLate: [], warnings: [] });
    expect(await loaded(store, threadId)).toEqual(stored);
  });

  it('[E4] is waited for while it lives, and gets no company: who waited comes after its answer', async () => {
    const { store } = company();
    const { threadId, mine, waiter } = await startBoth(company(), [...turns, { says: 'Two.' }]);
    mine.release();
    expect(await mine.ended).toMatchObject({ outcome: 'done', durable: true, ran: ['hold', 'work'] });
    expect(await waiter.ended).toMatchObject({ outcome: 'done', durable: true, ran: [] });
    const expected = [...afterTheTools, 'assistant: Done.', 'user: Two', 'assistant: Two.'];
    expect(lines((await loaded(store, threadId)).state.history)).toEqual(expected);
  });
});

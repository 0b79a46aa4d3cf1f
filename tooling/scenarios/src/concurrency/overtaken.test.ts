import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { calls, createGate, lines, says, startProcess, told, tool } from '../agent.ts';
import { deadlines } from '../deadlines.ts';
import { loaded } from '../stored.ts';
import { wiredStores } from './wired.ts';

const again = { timeout: 20_000 };
const turns = [calls('cut', {}), calls('hold', {}), says('Done.'), says('More.')];

describe.each(wiredStores)('on $name, a process that is cut off from the store', ({ open, openWired }) => {
  /** It goes on in memory, and `held` is the tool in which it is then. */
  async function cutOff() {
    const threadId = randomUUID();
    const direct = open();
    const { store, wire } = await openWired();
    const ran: string[] = [];
    const [holding, held] = [createGate(), createGate()];
    const cut = tool('cut', async () => {
      await wire.refuse();
      return `cut off ${ran.push('cut')}`;
    });
    const hold = tool('hold', async () => {
      ran.push('hold');
      holding.open();
      await held.passed;
      return 'held';
    });
    const owner = startProcess(store, turns, [cut, hold], deadlines);
    const outcome = owner
      .agent(threadId)
      .run('Go')
      .catch((error: unknown) => error);
    await holding.passed;
    expect(told(owner)).toEqual(['volatile']);
    return { threadId, direct, wire, owner, outcome, ran, held };
  }

  const beforeTheEnd = ['system: Be helpful.', 'user: Go', 'assistant: null', 'tool: cut off 1', 'assistant: null'];

  it.each(['has ended', 'is at work'] as const)(
    '[E7] while another takes the thread over, and whose run %s when the store is back, keeps its steps as a fork and leaves the other`s alone',
    async (when) => {
      const { threadId, direct, wire, owner, outcome, ran, held } = await cutOff();
      const ended = when === 'has ended';
      if (ended) {
        held.open();
        expect(await outcome).toMatchObject({ answer: 'Done.', durable: false });
      }
      const theirTools = [tool('cut', () => 'theirs'), tool('hold', () => 'theirs')];
      const other = startProcess(direct, turns, theirTools);
      expect(await other.agent(threadId).resume()).toMatchObject({ answer: 'Done.', durable: true });
      const theirs = await loaded(direct, threadId);
      await wire.pass();
      await expect.poll(() => told(owner), again).toEqual(['volatile', 'diverged']);
      const diverged = owner.events.find(({ type }) => type === 'diverged');
      const { forkId } = diverged as Extract<typeof diverged, { type: 'diverged' }>;
      expect(forkId.startsWith(`${threadId}~`)).toBe(true);
      held.open();
      if (!ended) expect(await outcome).toMatchObject({ code: 'taken_over', threadId, forkId });
      const { unsaved } = await owner.close({ deadlineMs: 20_000 });
      expect(unsaved.map((thread) => thread.threadId)).not.toContain(forkId);
      expect(await loaded(direct, threadId)).toEqual(theirs);
      const fork = await loaded(direct, forkId);
      const rest = ended
        ? ['tool: held', 'assistant: Done.']
        : ['tool: Unknown: this call may or may not have run; its result was lost.'];
      expect(lines(fork.state.history)).toEqual([...beforeTheEnd, ...rest]);
      expect(ran).toEqual(['cut', 'hold']);
      const goesOn = startProcess(direct, [...turns.slice(0, 2), says('More.'), says('More.')]);
      expect(await goesOn.agent(forkId).run('Go on')).toMatchObject({ answer: 'More.', durable: true });
    },
  );

  it.each([true, false])(
    '[E15] and could not load a thread that is deleted meanwhile (%s: it was there before) tells `deleted`, and nothing comes back',
    async (existed) => {
      const threadId = randomUUID();
      const direct = open();
      const before = startProcess(direct, [says('Before.')]).agent(threadId);
      if (existed) await before.run('Before');
      const { store, wire } = await openWired();
      await wire.refuse();
      const owner = startProcess(store, [says('In memory.'), says('More.')], [], deadlines);
      const agent = owner.agent(threadId);
      expect(await agent.run('Go')).toMatchObject({ answer: 'In memory.', durable: false });
      expect(told(owner)).toEqual(['volatile']);
      await direct.delete(threadId);
      await wire.pass();
      const codes = () => owner.warnings.map(({ fields }) => (fields as { code?: string }).code);
      await expect.poll(codes, again).toEqual(['unavailable', 'deleted']);
      expect(told(owner)).toEqual(['volatile']);
      const gone = { found: false, tombstone: expect.any(String) };
      expect(await direct.load(threadId)).toMatchObject(gone);
      expect(await owner.close()).toEqual({ unsaved: [] });
      expect(await direct.load(threadId)).toMatchObject(gone);
      expect(await before.run('Afresh')).toMatchObject({ answer: 'Before.', durable: true });
      expect(lines((await loaded(direct, threadId)).state.history)?.slice(1)).toEqual([
        'user: Afresh',
        'assistant: Before.',
      ]);
    },
  );

  it('[E15] and could not load a thread that is deleted meanwhile stops the run that is at work when the store is back', async () => {
    const threadId = randomUUID();
    const direct = open();
    await startProcess(direct, [says('Before.')])
      .agent(threadId)
      .run('Before');
    const { store, wire } = await openWired();
    await wire.refuse();
    const [asked, never] = [createGate(), createGate()];
    const think = async () => {
      asked.open();
      await never.passed;
      return says('Too late.');
    };
    const owner = startProcess(store, [think], [], { ...deadlines, heartbeatMs: 300 });
    const running = owner
      .agent(threadId)
      .run('Go')
      .catch((error: { code: string }) => error.code);
    await asked.passed;
    await direct.delete(threadId);
    const deleted = await direct.load(threadId);
    await wire.pass();
    expect(await running).toBe('deleted');
    never.open();
    expect(await owner.close()).toEqual({ unsaved: [] });
    expect(told(owner)).toEqual(['volatile']);
    expect(await direct.load(threadId)).toEqual(deleted);
    expect(deleted).toMatchObject({ found: false, tombstone: expect.any(String) });
  });
});

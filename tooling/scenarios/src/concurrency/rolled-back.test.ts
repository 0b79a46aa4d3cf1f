import type { RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { calls, lines, says, startProcess, told, tool } from '../agent.ts';
import { unhurried } from '../deadlines.ts';
import { appending, rewindable } from '../redis/rewind.ts';
import { open, ownRedis } from '../redis/support.ts';
import { loaded, revisionsOf } from '../stored.ts';

const redis = await ownRedis(...appending);

describe.skipIf(!redis)('a Redis that is put back', () => {
  const server = redis as RedisServer;
  const { copy, rollBack } = rewindable(server);

  /** A process whose tools are `copy`, `work` and `back`: the last one puts the store back, and then does more. */
  function owner(turns: Parameters<typeof startProcess>[1], then: () => unknown = () => {}) {
    const ran: string[] = [];
    const noted = (name: string, act: () => unknown) =>
      tool(name, async () => {
        ran.push(name);
        await act();
        return name;
      });
    const back = async () => {
      await rollBack();
      await then();
    };
    const tools = [noted('copy', copy), noted('work', () => {}), noted('back', back)];
    return { ran, ...startProcess(open(server), turns, tools, unhurried) };
  }

  async function expectStored(threadId: string, history: readonly string[]) {
    const { state } = await loaded(open(server), threadId);
    expect(lines(state.history)).toEqual(['system: Be helpful.', ...history]);
    expect(state.run).toMatchObject({ phase: 'done', owner: null, calls: [], pending_inputs: [] });
    expect(await revisionsOf(open(server), threadId)).toHaveLength(state.current_step);
    return state;
  }

  it('[E23] past six acknowledged writes of a run is sent all of them again, without a hole', async () => {
    const turns = [calls('copy', {}), calls('work', {}), calls('work', {}), calls('back', {}), says('Done.')];
    const process = owner(turns);
    expect(await process.agent('past').run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expect([process.warnings, told(process)]).toEqual([[], ['rolled_back']]);
    const results = ['copy', 'work', 'work', 'back'];
    await expectStored('past', [
      'user: Go',
      ...results.flatMap((name) => ['assistant: null', `tool: ${name}`]),
      'assistant: Done.',
    ]);
    expect(process.ran).toEqual(results);
  });

  const earlier = ['user: First', 'assistant: One.'];
  const second = ['user: Second', 'assistant: null', 'tool: work', 'assistant: null', 'tool: back'];
  const turns = [says('One.'), calls('work', {}), calls('back', {}), says('Two.')];

  it('[E23] past the claim of a run is sent the claim and all after it again', async () => {
    await owner(turns).agent('claim').run('First');
    await copy();
    const process = owner(turns);
    expect(await process.agent('claim').run('Second')).toMatchObject({ answer: 'Two.', durable: true });
    expect([process.warnings, told(process)]).toEqual([[], ['rolled_back']]);
    const { run } = await expectStored('claim', [...earlier, ...second, 'assistant: Two.']);
    expect(run?.epoch).toBe(2);
    expect(process.ran).toEqual(['work', 'back']);
  });

  it('[E23] past the claim of a run, and taken by another process, keeps what that one did; the run is kept as a fork', async () => {
    await owner(turns).agent('taken').run('First');
    await copy();
    const theirs = startProcess(open(server), [says('unused'), says('Theirs.')]);
    const process = owner(turns, () => theirs.agent('taken').run('Third'));
    const failure: { code?: string; forkId?: string } = await process
      .agent('taken')
      .run('Second')
      .then(
        () => expect.fail('the run has lost the thread'),
        (error: object) => error,
      );
    expect(failure).toMatchObject({ code: 'taken_over', forkId: expect.any(String) });
    expect(told(process)[0]).toBe('diverged');
    expect(await process.close({ deadlineMs: 20_000 })).toEqual({ unsaved: [] });
    await expectStored('taken', [...earlier, 'user: Third', 'assistant: Theirs.']);
    const fork = await loaded(open(server), failure.forkId ?? '');
    expect(lines(fork.state.history)).toEqual(['system: Be helpful.', ...earlier, ...second]);
    expect(process.ran).toEqual(['work', 'back']);
  });
});

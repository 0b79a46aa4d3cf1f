import { describe, expect, it } from 'vitest';
import { lines } from '../agent.ts';
import { loaded } from '../stored.ts';
import { newThread, sharedStores, startCompany } from './holders.ts';
import type { Holder } from './start-holder.ts';

const options = { heartbeatMs: 300 };
const opening = ['system: Be helpful.', 'user: One', 'assistant: null'];

describe.each(sharedStores)(
  'on $name, an owner that is in a tool, of which another process asks something',
  (shared) => {
    const company = startCompany(shared, 1);

    /** It is in the first of these tools, and asked. */
    async function asked(calls: readonly string[], request: (threadId: string) => Promise<unknown>) {
      const { holders, store, threads } = company();
      const [owner] = holders as [Holder];
      const threadId = newThread();
      const turns = [{ calls }, { says: 'Done.' }, { says: 'More.' }];
      const running = owner.begin({ threadId, input: 'One', turns, options });
      await running.at('hold');
      await request(threadId);
      const stored = async () => (await loaded(store, threadId)).state;
      expect((await stored()).run?.epoch).toBe(1);
      return { threadId, owner, turns, running, threads, stored };
    }

    const expectNoTakeOver = ({ events, conflicts }: Awaited<ReturnType<Holder['begin']>['ended']>) => {
      expect(conflicts).toBeGreaterThan(0);
      expect(events).not.toContain('diverged');
    };

    it('[E13] obeys a decision, and runs that call in the same turn', async () => {
      const { running, stored } = await asked(['refund', 'hold'], async (threadId) => {
        const { threads } = company();
        const [call] = await threads.pending(threadId);
        const receipt = await threads.decide(threadId, call?.key ?? '', { verdict: 'approve' });
        expect(receipt).toEqual({ counted: true, decision: { verdict: 'approve' } });
      });
      running.release();
      const ended = await running.ended;
      expect(ended).toMatchObject({ outcome: 'done', durable: true, ran: ['hold', 'refund'], warnings: [] });
      expectNoTakeOver(ended);
      const { history, run } = await stored();
      expect(lines(history)).toEqual([...opening, 'tool: refunded', 'tool: held', 'assistant: Done.']);
      expect(run).toMatchObject({ epoch: 1, phase: 'done', owner: null });
    });

    it('[E13] obeys a pause when that tool has ended, and goes on when it is resumed', async () => {
      const { threadId, owner, turns, running, stored } = await asked(['hold', 'work'], async (threadId) =>
        expect(await company().threads.pause(threadId, { reason: 'lunch' })).toBe(true),
      );
      running.release();
      const ended = await running.ended;
      expect(ended).toMatchObject({ outcome: 'paused', durable: true, ran: ['hold'], warnings: [] });
      expectNoTakeOver(ended);
      expect((await stored()).run).toMatchObject({
        epoch: 1,
        phase: 'paused',
        owner: null,
        pause: { reason: 'lunch' },
      });
      const resumed = await owner.begin({ threadId, turns, options }).ended;
      expect(resumed).toMatchObject({ outcome: 'done', durable: true, ran: ['work'], conflicts: 0 });
      expect(lines((await stored()).history)).toEqual([...opening, 'tool: held', 'tool: worked', 'assistant: Done.']);
    });

    it('[E13] obeys a cancel at once, and goes on with the next input', async () => {
      const { threadId, owner, turns, running, stored } = await asked(['hold', 'work'], async (threadId) =>
        expect(await company().threads.cancel(threadId)).toBe(true),
      );
      const ended = await running.ended;
      expect(ended).toMatchObject({ outcome: 'aborted', ran: ['hold'], warnings: [] });
      expectNoTakeOver(ended);
      const cancelled = await stored();
      expect(cancelled.run).toMatchObject({ epoch: 1, phase: 'cancelled', owner: null });
      expect(lines(cancelled.history)).toEqual(opening);
      running.release();
      const next = await owner.begin({ threadId, input: 'Two', turns, options }).ended;
      expect(next).toMatchObject({ outcome: 'done', durable: true, ran: [], conflicts: 0 });
      expect(lines((await stored()).history)?.slice(5)).toEqual(['user: Two', 'assistant: Done.']);
    });
  },
);

import type { RedisServer } from '@agent-state/services';
import { afterEach, describe, expect, it } from 'vitest';
import { lines, says, startProcess, told } from '../agent.ts';
import { deadlines } from '../deadlines.ts';
import { loaded } from '../stored.ts';
import { wholeHistory } from '../troubled.ts';
import { comeBack, runInto, surviveInOneSave } from '../volatile-run.ts';
import { open, ownRedis } from './support.ts';

const redis = await ownRedis();

describe.skipIf(!redis)('a Redis that answers and refuses', () => {
  const server = redis as RedisServer;
  const configure = (...pairs: string[]) => server.command('CONFIG', 'SET', ...pairs);
  const becomeReplica = () => server.command('REPLICAOF', '127.0.0.1', '1');
  const mend = async () => {
    await server.command('REPLICAOF', 'NO', 'ONE');
    await configure('replica-serve-stale-data', 'yes', 'min-replicas-to-write', '0', 'maxmemory', '0');
  };
  const brokenBy = (breakIt: () => Promise<unknown>) => ({ open: () => open(server), breakIt, mend });
  afterEach(mend);

  const readOnly = brokenBy(becomeReplica);
  const withoutReplicas = brokenBy(() => configure('min-replicas-to-write', '1'));
  const outOfMemory = brokenBy(() => configure('maxmemory', '100kb'));
  const withoutMaster = brokenBy(async () => {
    await configure('replica-serve-stale-data', 'no');
    await becomeReplica();
  });

  it.each([
    ['[B6] as a read-only replica', 'READONLY', readOnly],
    ['[B7] as a replica that lost its master', 'MASTERDOWN', withoutMaster],
    ['[B8] for want of replicas', 'NOREPLICAS', withoutReplicas],
    ['[B9] for want of memory', 'OOM', outOfMemory],
  ])('%s is warned of once, and gets all of the run in one save afterwards', async (_, word, trouble) => {
    expect(await surviveInOneSave(trouble)).toContain(`(${word})`);
  });

  it.each([
    ['[B6] of a read-only replica', readOnly],
    ['[B9] of one that is out of memory', outOfMemory],
  ])('%s, what it acknowledged can be read meanwhile, and nothing else', async (_, trouble) => {
    const outage = await runInto(trouble);
    const { state, revision } = await loaded(outage.open(), outage.threadId);
    expect([revision, lines(state.history)]).toEqual([2, wholeHistory.slice(0, 3)]);
    await comeBack(outage);
  });

  const run = (threadId: string, input: string, answer: string) => {
    const process = startProcess(open(server), [says(answer), says(answer)], [], deadlines);
    return { process, result: process.agent(threadId).run(input) };
  };

  it('[B7] a thread on a replica that lost its master is out of reach, not absent', async () => {
    await run('known', 'First', 'One.').result;
    await withoutMaster.breakIt();
    await expect(open(server).load('known')).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
    const { agent } = startProcess(open(server), [], [], deadlines);
    await expect(agent('known').resume()).rejects.toMatchObject({ code: 'unavailable' });
    const { process, result } = run('known', 'Second', 'From scratch.');
    expect(await result).toMatchObject({ answer: 'From scratch.', durable: false });
    expect(process.warnings).toHaveLength(1);
    await mend();
    expect(await process.close()).toEqual({ unsaved: [] });
    expect(told(process)).toEqual(['volatile', 'diverged', 'rejoined']);
    const { state, revision } = await loaded(open(server), 'known');
    expect([revision, lines(state.history)]).toEqual([2, ['system: Be helpful.', 'user: First', 'assistant: One.']]);
  });

  it('[B7] a thread begun while the master was lost is stored whole afterwards', async () => {
    await withoutMaster.breakIt();
    const { process, result } = run('new', 'Hi', 'Hello.');
    expect(await result).toMatchObject({ durable: false });
    await mend();
    expect(await process.close()).toEqual({ unsaved: [] });
    expect(told(process)).toEqual(['volatile', 'rejoined']);
    const { state } = await loaded(open(server), 'new');
    expect(lines(state.history)).toEqual(['system: Be helpful.', 'user: Hi', 'assistant: Hello.']);
  });
});

import { freePort, isMissing, startRedis } from '@agent-state/services';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { lines, says, startProcess, told } from '../agent.ts';
import { deadlines, longestMs } from '../deadlines.ts';
import { loaded } from '../stored.ts';
import { open } from './support.ts';

describe.skipIf(!inject('redisUrl'))('a Redis that is not there', () => {
  const hello = ['system: Be helpful.', 'user: Hi', 'assistant: Hello.'];

  it('[B1] when the process starts: the run answers within its deadlines, and is stored when there is one', async () => {
    const port = await freePort();
    const store = open({ url: `redis://127.0.0.1:${port}` });
    const process = startProcess(store, [says('Hello.')], [], deadlines);
    const begun = performance.now();
    expect(await process.agent('t').run('Hi')).toMatchObject({ answer: 'Hello.', durable: false });
    expect(performance.now() - begun).toBeLessThan(longestMs);
    expect(process.warnings).toMatchObject([{ fields: { threadId: 't', code: 'unavailable' } }]);
    const late = await startRedis({ port });
    if (isMissing(late)) return expect.fail(late.missing);
    onTestFinished(() => late.stop());
    expect(await process.close({ deadlineMs: 20_000 })).toEqual({ unsaved: [] });
    expect(told(process)).toEqual(['volatile', 'rejoined']);
    expect(lines((await loaded(open(late), 't')).state.history)).toEqual(hello);
  });

  it('[B1] when the process starts, where that has to be an error: it is, within its deadlines', async () => {
    const store = open({ url: `redis://127.0.0.1:${await freePort()}` });
    let asked = 0;
    const answer = () => {
      asked += 1;
      return says('Hello.');
    };
    const process = startProcess(store, [answer], [], { ...deadlines, onStoreDown: 'throw' });
    const begun = performance.now();
    await expect(process.agent('t').run('Hi')).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
    expect(performance.now() - begun).toBeLessThan(longestMs);
    expect(asked).toBe(0);
    expect(await process.close()).toEqual({ unsaved: [] });
  });
});

import { describe, expect, it } from 'vitest';
import { createVirtualRuntime, settle } from '../testing/virtual-runtime.ts';
import { createQueues } from './queues.ts';
import { sleep } from './runtime.ts';

describe('queues', () => {
  it('run the jobs of one key one after the other, and others meanwhile', async () => {
    const runtime = createVirtualRuntime();
    const queues = createQueues();
    const log: string[] = [];
    const job = (name: string, ms: number) => async () => {
      log.push(`${name} begins`);
      await sleep(runtime, ms);
      log.push(`${name} ends`);
    };
    const all = [
      queues.enqueue('a', job('a1', 50)),
      queues.enqueue('a', job('a2', 1)),
      queues.enqueue('b', job('b', 10)),
    ];
    await runtime.until(Promise.all(all));
    expect(log).toEqual(['a1 begins', 'b begins', 'b ends', 'a1 ends', 'a2 begins', 'a2 ends']);
  });

  it('go on after a job that failed, also one that throws at once', async () => {
    const queues = createQueues();
    const failures = [
      queues.enqueue('a', () => Promise.reject(new Error('one'))),
      queues.enqueue('a', () => {
        throw new Error('two');
      }),
    ];
    const last = queues.enqueue('a', async () => 'three');
    expect((await Promise.allSettled(failures)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await last).toBe('three');
  });

  it('keep nothing of what has ended', async () => {
    const queues = createQueues();
    const jobs = Array.from({ length: 100 }, (_, index) => queues.enqueue(`${index}`, async () => index));
    expect(queues.size()).toBe(100);
    await Promise.all(jobs);
    await settle();
    expect(queues.size()).toBe(0);
    expect(queues.has('1')).toBe(false);
  });
});

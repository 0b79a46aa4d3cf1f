import { describe, expect, it } from 'vitest';
import type { Checkpointer } from '../../protocol/checkpointer.ts';
import { defineCheckpointer } from '../../protocol/define.ts';
import { createTextStore } from '../../testing/text-store.ts';
import { createVirtualRuntime } from '../../testing/virtual-runtime.ts';
import { createStorePort } from './store-port.ts';

const callMs = 1_000;
const never = new Promise<never>(() => {});

/** A port on a store that leaves those threads without an answer whose id begins with `hung`. */
function setting() {
  const runtime = createVirtualRuntime();
  const store = defineCheckpointer(createTextStore(), runtime);
  let resets = 0;
  const client: Checkpointer = {
    ...store,
    load: (threadId) => (threadId.startsWith('hung') ? never : store.load(threadId)),
    reset: () => {
      resets += 1;
    },
  };
  const port = createStorePort(client, runtime, callMs);
  return { runtime, load: (id: string, ms?: number) => port.load(id, ms).catch(() => {}), resets: () => resets };
}

describe('a client that missed a deadline', () => {
  it('is reset where it answered nothing in that time', async () => {
    const { runtime, load, resets } = setting();
    await runtime.until(load('hung'));
    expect(resets()).toBe(1);
  });

  it('is kept where it answered others meanwhile, and reset once it answers nobody', async () => {
    const { runtime, load, resets } = setting();
    const late = load('hung');
    await runtime.advance(500);
    await load('answered');
    await runtime.until(late);
    expect(resets()).toBe(0);
    await runtime.until(load('hung'));
    expect(resets()).toBe(1);
  });

  it('is reset once for all calls that were under way: the next client is not to blame for them', async () => {
    const { runtime, load, resets } = setting();
    const late = [];
    for (let index = 0; index < 10; index += 1) {
      late.push(load(`hung ${index}`));
      await runtime.advance(90);
    }
    await runtime.until(Promise.all(late));
    expect(resets()).toBe(1);
  });

  it('is kept where it was given less than the time of a call', async () => {
    const { runtime, load, resets } = setting();
    await runtime.until(load('hung', 10));
    expect(resets()).toBe(0);
  });
});

import { expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import { createTextStore } from '../testing/text-store.ts';
import { settle } from '../testing/virtual-runtime.ts';
import { createAgentFactory } from './factory.ts';

it('a logger that rejects ends no process', async () => {
  const store = defineCheckpointer(createTextStore());
  let called = 0;
  // What a logger gives back is of no type: one that is async fits.
  const broken: () => unknown = async () => {
    called += 1;
    throw new Error('log');
  };
  createAgentFactory({
    profiles: {},
    models: {},
    // Such a store is warned about.
    checkpointer: { ...store, capabilities: { ...store.capabilities, conditional: false } },
    logger: { info: broken, warn: broken, error: broken },
  });
  // An unhandled rejection would fail this file.
  await settle();
  expect(called).toBe(1);
});

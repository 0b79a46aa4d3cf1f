import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { afterEach, expect, test, vi } from 'vitest';
import { runExample } from './run-example.ts';
import { script } from './script.ts';

afterEach(() => void vi.restoreAllMocks());

test('the tool of the README is run, its step can be looked at, and its new thread is gone at the end', async () => {
  const checkpointer = createMemoryCheckpointer();
  const keys: string[] = [];
  const shown: unknown[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => shown.push(text) > 0);
  vi.spyOn(console, 'log').mockImplementation((...line) => void shown.push(line));
  await runExample('README.md', '## Tools, crashes and going on', {
    model: script('refund', { order: '4711' }, 'It is on its way.'),
    checkpointer,
    payments: {
      async refund(order: string, { idempotencyKey }: { idempotencyKey: string }) {
        keys.push(idempotencyKey);
        return { id: order };
      },
    },
  });
  expect(keys).toHaveLength(1);
  expect(shown).toEqual(['It is on its way.', [3, { refunded: '4711' }]]);
  expect(await checkpointer.load('customer-42')).toMatchObject({ found: false });
});

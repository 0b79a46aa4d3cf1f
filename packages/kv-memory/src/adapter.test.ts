import { expect, it } from 'vitest';
import { memoryAdapter } from './adapter.ts';

it('shows connections of one name the same threads, and others none of them', async () => {
  const connect = (name: string, namespace: string) => memoryAdapter.connect({ name, namespace, provider: {} });
  const state = { history: [] };
  await connect('one', 'n').save('t', { state });
  expect((await connect('one', 'n').load('t')).found).toBe(true);
  expect((await connect('one', 'm').load('t')).found).toBe(false);
  expect((await connect('two', 'n').load('t')).found).toBe(false);
});

it('serves both names that a settings file may use', () => {
  expect(memoryAdapter.backends).toEqual(['memory', 'local']);
  expect(memoryAdapter.strategy).toBe('kv_store');
});

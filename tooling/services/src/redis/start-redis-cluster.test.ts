import { expect, test } from 'vitest';
import { isMissing } from '../missing.ts';
import { startRedisCluster } from './start-redis-cluster.ts';

test('a cluster of three masters redirects to the owner of a slot', async ({ skip }) => {
  const cluster = await startRedisCluster();
  if (isMissing(cluster)) return skip(cluster.missing);
  const answers = await Promise.allSettled(cluster.nodes.map((node) => node.command('SET', 'key', 'value')));
  expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1);
  const moved = answers.filter((answer) => answer.status === 'rejected').map((answer) => String(answer.reason));
  expect(moved).toHaveLength(2);
  for (const reason of moved) expect(cluster.ports.some((port) => reason.endsWith(`:${port}`))).toBe(true);
  await cluster.stop();
  expect(cluster.nodes.map((node) => node.running())).toEqual([false, false, false]);
});

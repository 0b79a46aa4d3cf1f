import { MongoClient } from 'mongodb';
import { expect, inject, test } from 'vitest';
import { redisCommand } from '../src/redis/redis-command.ts';
import type {} from '../src/vitest.ts';

const portOf = (url: string) => ({ port: Number(new URL(url).port) });

test('the shared Redis answers', async ({ skip }) => {
  const url = inject('redisUrl') ?? skip('no redis-server');
  expect(await redisCommand(portOf(url), ['PING'])).toBe('PONG');
});

test('the shared cluster is whole', async ({ skip }) => {
  const nodes = inject('redisClusterNodes') ?? skip('no redis-server');
  expect(nodes).toHaveLength(3);
  for (const url of nodes) {
    expect(await redisCommand(portOf(url), ['CLUSTER', 'INFO'])).toContain('cluster_state:ok');
  }
});

test('the shared MongoDB has a primary', async ({ skip }) => {
  const client = new MongoClient(inject('mongoUrl') ?? skip('no mongod'));
  expect(await client.db('admin').command({ hello: 1 })).toMatchObject({ isWritablePrimary: true });
  await client.close();
});

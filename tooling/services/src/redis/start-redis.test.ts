import { existsSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { isMissing } from '../missing.ts';
import { startRedis } from './start-redis.ts';

const redis = await startRedis();
if (isMissing(redis)) test.skip(`a private redis-server (${redis.missing})`);
else {
  afterAll(() => redis.stop());

  describe('a private redis-server', () => {
    test('keeps nothing on disk and lets DEBUG be used', async () => {
      expect(await redis.command('CONFIG', 'GET', 'save')).toEqual(['save', '']);
      expect(await redis.command('CONFIG', 'GET', 'appendonly')).toEqual(['appendonly', 'no']);
      expect(await redis.command('DEBUG', 'SLEEP', '0')).toBe('OK');
    });

    test('its error replies reject', async () => {
      await expect(redis.command('NONSENSE')).rejects.toThrow('unknown command');
    });

    test('comes back empty on the same port after a kill', async () => {
      await redis.command('SET', 'key', 'value');
      await redis.kill();
      expect(redis.pid).toBeUndefined();
      await expect(redis.command('PING')).rejects.toThrow('ECONNREFUSED');
      await redis.start();
      expect(await redis.command('GET', 'key')).toBeNull();
    });

    test('does not answer while it is frozen, and answers afterwards', async () => {
      redis.freeze();
      const reply = redis.command('PING');
      const first = await Promise.race([reply, new Promise((resolve) => setTimeout(resolve, 200, 'silence'))]);
      expect(first).toBe('silence');
      redis.thaw();
      expect(await reply).toBe('PONG');
    });

    test('is not started twice', async () => {
      await expect(redis.start()).rejects.toThrow(TypeError);
    });

    test('says why it did not start', async () => {
      await expect(startRedis({ args: ['--no-such-flag', 'x'] })).rejects.toThrow('no-such-flag');
    });
  });

  test('with append-only persistence, the data outlives a kill', async () => {
    const durable = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    if (isMissing(durable)) throw new Error(durable.missing);
    await durable.command('SET', 'key', 'value');
    await durable.kill();
    await durable.start();
    expect(await durable.command('GET', 'key')).toBe('value');
    await durable.stop();
    expect(existsSync(durable.dir)).toBe(false);
  });

  test('stopping ends even a frozen server', async () => {
    const frozen = await startRedis();
    if (isMissing(frozen)) throw new Error(frozen.missing);
    frozen.freeze();
    await frozen.stop();
    expect(frozen.running()).toBe(false);
  });

  test('an encrypted server answers to who trusts its certificate, and to nobody else', async () => {
    const secure = await startRedis({ tls: true });
    if (isMissing(secure)) throw new Error(secure.missing);
    expect(secure.url).toMatch(/^rediss:/);
    expect(secure.ca).toContain('BEGIN CERTIFICATE');
    expect(await secure.command('PING')).toBe('PONG');
    await secure.stop();
  });
}

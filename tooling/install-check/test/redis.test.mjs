import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { blocksOf } from '../src/blocks.mjs';
import { readDocument } from '../src/documents.mjs';
import { install } from '../src/installation.mjs';
import { resolutions, typeErrors } from '../src/type-errors.mjs';
import { publicPackages } from '../src/workspace.mjs';

const wanted = ['@agent-state/core', '@agent-state/kv-redis'];

/** What belongs to other stores, to the settings, and to users of ioredis or the conformance suite. */
const others =
  /^(?:mongodb|bson|@mongodb-js\/.*|libsql|@libsql\/.*|better-sqlite3|sqlite3|smol-toml|ioredis|@types\/.*|vitest)$/;

vi.setConfig({ testTimeout: 100_000 });

describe('core and kv-redis, packed and installed by npm in an empty folder', () => {
  /** @type {Awaited<ReturnType<typeof install>>} */
  let installation;
  beforeAll(async () => {
    installation = await install(publicPackages().filter(({ name }) => wanted.includes(name)));
  });
  afterAll(() => installation?.remove());

  test('[S-PKG-04] nothing of another store comes along', () => {
    expect(installation.installed()).toContain('@keyv/redis');
    expect(installation.installed().filter((name) => others.test(name))).toEqual([]);
  });

  test('of ours nothing but these two is there, each once', () => {
    expect(installation.installed().filter((name) => name.startsWith('@agent-state/'))).toEqual(wanted);
  });

  const program = `
    import * as core from '@agent-state/core';
    import * as redis from '@agent-state/kv-redis';
    export const used = [core.createAgentFactory, redis.createRedisCheckpointer];
  `;
  test.each(Object.entries(resolutions))(
    '[S-PKG-03] with %s their types need nothing else, not even those of Node',
    async (name, options) => {
      installation.write(`${name}.mts`, program);
      expect(await typeErrors(installation, name, [`${name}.mts`], options)).toEqual([]);
    },
  );

  const redisUrl = inject('redisUrl');
  test.skipIf(!redisUrl)(
    'the first program of the README, with the lines for Redis, stores its thread, and goes on with it when run again',
    async () => {
      // A database of its own: the program decides about the namespace and the thread.
      const url = new URL('/13', redisUrl).href;
      const program = firstProgram(url);
      const threadId = program.match(/threadId: '(.+?)'/)?.[1] ?? '';
      const env = { REDIS_URL: url, THREAD_ID: threadId };
      await installation.runProgram('forget.mjs', forget, env);
      try {
        const runs = [];
        for (let run = 0; run < 2; run += 1) runs.push(await installation.runProgram('first.mjs', program));
        expect(runs).toEqual([
          { code: 0, stdout: 'Which order is it? (stored)\n', stderr: '' },
          { code: 0, stdout: 'It has shipped. (stored)\n', stderr: '' },
        ]);
        const { stdout } = await installation.runProgram('look.mjs', look, env);
        expect(stdout.trim().split(' ')).toEqual(['system', 'user', 'assistant', 'user', 'assistant']);
      } finally {
        await installation.runProgram('forget.mjs', forget, env);
      }
    },
  );
});

/** The README's program with the import and the line that opens the store taken from the block behind it. */
function firstProgram(url) {
  const [first, lines] = blocksOf(readDocument('README.md')).map(({ code }) => code);
  const swapped = ['import {.*-redis.;', 'const checkpointer = .*;'].reduce((program, pattern) => {
    const [line] = lines.match(new RegExp(`^${pattern}$`, 'm')) ?? [];
    return program.replace(new RegExp(`^${pattern.replace('redis', 'sqlite')}$`, 'm'), line);
  }, first);
  return swapped.replace(/redis:[^']*/, url);
}

const open = `
  import { createRedisCheckpointer } from '@agent-state/kv-redis';
  const checkpointer = createRedisCheckpointer({ url: process.env.REDIS_URL });
`;
const look = `${open}
  const thread = await checkpointer.load(process.env.THREAD_ID);
  console.log(thread.state.history.map(({ role }) => role).join(' '));
  await checkpointer.close();
`;
const forget = `${open}
  await checkpointer.delete(process.env.THREAD_ID);
  await checkpointer.close();
`;

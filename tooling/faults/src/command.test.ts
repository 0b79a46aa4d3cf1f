import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { madeRepository } from '../test/made-repository.ts';
import { command } from './command.ts';

afterEach(() => vi.restoreAllMocks());

/** A repository with one test, and what the command says about it. */
async function run(title: string, ...args: readonly string[]) {
  const root = madeRepository({ 'packages/a/src/a.test.ts': `test('${title}', () => {});\n` });
  const said: string[] = [];
  const hear = (text: string | Uint8Array) => said.push(String(text).trimEnd()) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(hear);
  vi.spyOn(process.stderr, 'write').mockImplementation(hear);
  const code = await command(args, root);
  const read = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');
  return { code, said, read };
}

describe('the command', () => {
  test('writes the documents from the titles, and needs no test run for that', async () => {
    const { code, said, read } = await run('[B14] [S-TTL-03] it waits', '--docs');
    expect([code, said]).toEqual([0, []]);
    for (const name of ['faults.md', 'failures.md']) {
      expect(read(name)).toContain('it waits ([a.test.ts](../packages/a/src/a.test.ts))');
    }
  });

  test('fails for a title with an id that is in no list, and names it', async () => {
    const { code, said } = await run('[B99] it waits', '--docs');
    expect([code, said]).toEqual([1, ['a test names [B99], which is in no list']]);
  });

  test('does not hold a row to hold that no test names', async () => {
    const { code, said } = await run('[B14] it waits', '--rows', 'B15');
    expect([code, said.at(-1)]).toEqual([1, '0 of 1 hold']);
  });

  test('explains itself, and how it is called where it was called wrongly', async () => {
    expect(await run('', '--help')).toMatchObject({
      code: 0,
      said: [expect.stringContaining('usage: npm run faults')],
    });
    const { code, said } = await run('', '--rows', 'B99');
    expect([code, said[0], said[1]]).toEqual([2, 'there is no row or case "B99"', expect.stringContaining('usage:')]);
  });
});

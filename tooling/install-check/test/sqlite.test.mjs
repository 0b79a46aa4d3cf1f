import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { blocksOf } from '../src/blocks.mjs';
import { readDocument } from '../src/documents.mjs';
import { install } from '../src/installation.mjs';
import { publicPackages } from '../src/workspace.mjs';

const wanted = ['@agent-state/core', '@agent-state/doc-sqlite'];

vi.setConfig({ testTimeout: 100_000 });

/** @type {Awaited<ReturnType<typeof install>>} */
let installation;
beforeAll(async () => {
  installation = await install(publicPackages().filter(({ name }) => wanted.includes(name)));
});
afterAll(() => installation?.remove());

const firstOf = (document) => blocksOf(readDocument(document))[0]?.code ?? '';

test('the first program of the README stores its thread in a file, and goes on with it when run again', async () => {
  const program = firstOf('README.md');
  const runs = [];
  for (let run = 0; run < 2; run += 1) runs.push(await installation.runProgram('first.mjs', program));
  expect(runs).toEqual([
    { code: 0, stdout: 'Which order is it? (stored)\n', stderr: '' },
    { code: 0, stdout: 'It has shipped. (stored)\n', stderr: '' },
  ]);
});

test("the program of the core's README gives the script's answer", async () => {
  const program = `${firstOf('packages/core/README.md')}console.log(answer);`;
  expect(await installation.runProgram('core.mjs', program)).toEqual({ code: 0, stdout: 'Hello.\n', stderr: '' });
});

test("the program of this adapter's README loads what it saved", async () => {
  const { code, stdout, stderr } = await installation.runProgram(
    'sqlite.mjs',
    firstOf('packages/doc-sqlite/README.md'),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain("content: 'Hello'");
});

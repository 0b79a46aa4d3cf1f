import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { cripple } from '../src/cripple.ts';
import { variants } from '../src/variants.ts';
import { simulateBatch } from '../src/worker.ts';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));

/** Within so many seeds of its mode, from the one that it names, each variant is caught. */
const seeds = 8;

// What is crippled is a copy of the built product, so it has to be there, as the sources say.
beforeAll(() => {
  const compiler = join(folder, '../../node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-b', join(folder, '../../packages/core/tsconfig.build.json')]);
});

describe('the protocol without one of its rules', () => {
  it.each(variants)('is caught: $name', async ({ name, mode, edits, shows }) => {
    const copy = edits && cripple(edits);
    try {
      const reports = await simulateBatch({ from: shows, count: seeds, mode, crippled: { url: copy?.url, name } });
      expect(reports.some(({ broken }) => broken.length > 0)).toBe(true);
    } finally {
      copy?.remove();
    }
  });

  it('is not made where the text that it changes is not there, once', () => {
    const edit = { file: 'agent/call.js', find: 'what nobody ever wrote', put: '' };
    expect(() => cripple([edit])).toThrow('this 0 times');
  });
});

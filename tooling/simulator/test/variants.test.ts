import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { cripple } from '../src/cripple.ts';
import { type Variant, variants } from '../src/variants.ts';
import { simulateBatch } from '../src/worker.ts';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));

/** Within so many seeds of its mode, from the one that it names, each variant is caught. */
const seeds = 150;

// What is crippled is a copy of the built product, so it has to be there, as the sources say.
beforeAll(() => {
  const compiler = join(folder, '../../node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-b', join(folder, '../../packages/core/tsconfig.build.json')]);
});

/** The first seed, from the one that it names, in which the variant breaks a rule. */
async function firstCaught({ name, mode, edits, shows }: Variant): Promise<number | undefined> {
  const copy = edits && cripple(edits);
  try {
    for (let seed = shows; seed < shows + seeds; seed += 1) {
      const batch = { from: seed, count: 1, mode, crippled: { url: copy?.url, name } };
      const [report] = await simulateBatch(batch);
      if (report && report.broken.length > 0) return seed;
    }
    return undefined;
  } finally {
    copy?.remove();
  }
}

describe('the protocol without one of its rules', () => {
  it.each(variants)('is caught: $name', { timeout: 120_000 }, async (variant) => {
    expect(await firstCaught(variant)).toBeDefined();
  });

  it('is not made where the text that it changes is not there, once', () => {
    expect(() => cripple([{ find: 'what nobody ever wrote', put: '' }])).toThrow('this 0 times');
  });
});

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const atRoot = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** What Biome, set up as it is here, has to say about a file. */
function lint(text) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-biome-'));
  try {
    copyFileSync(atRoot('biome.json'), join(folder, 'biome.json'));
    writeFileSync(join(folder, 'x.ts'), text);
    const options = { cwd: folder, encoding: 'utf8' };
    const { stdout, stderr } = spawnSync(atRoot('node_modules/.bin/biome'), ['lint', '--vcs-enabled=false'], options);
    return `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each([
  ['noReExportAll', "export * from './y.ts';"],
  ['noReExportAll', "export * as y from './y.ts';"],
  ['noEnum', 'export enum Colour { Red }'],
  ['noExplicitAny', 'export const f = (x: any): unknown => x;'],
])('%s refuses %s', (rule, text) => {
  expect(lint(text)).toContain(rule);
});

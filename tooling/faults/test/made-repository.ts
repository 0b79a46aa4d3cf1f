import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A repository with these files, removed when the test is over; its folder. */
export function madeRepository(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'agent-state-faults-test-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of ['packages', 'apps', 'tooling', 'docs']) mkdirSync(join(root, folder));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

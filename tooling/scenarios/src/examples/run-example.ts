import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';

const root = new URL('../../../../', import.meta.url);
const folder = fileURLToPath(new URL('../../node_modules/.examples/', import.meta.url));

/** What an example declares to be the reader's own: each name with what stands in for it. */
type Given = Readonly<Record<string, unknown>>;

/**
 * Runs the first ts or js block below a heading of a document as it is written there, and gives what it exports. What it
 * declares, or what it names without having made it, is what is given.
 */
export async function runExample(document: string, heading: string, given: Given): Promise<Given> {
  const code = blockBelow(readFileSync(new URL(document, root), 'utf8'), heading);
  const declared = code.replace(/^declare const \w+: .*;$/gm, '');
  const file = `${folder}${randomUUID()}.ts`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `const { ${Object.keys(given).join(', ')} } = globalThis.given;\n${declared}`);
  vi.stubGlobal('given', given);
  try {
    return await import(/* @vite-ignore */ file);
  } finally {
    vi.unstubAllGlobals();
    rmSync(file);
  }
}

function blockBelow(text: string, heading: string): string {
  const [, below] = text.split(`\n${heading}\n`);
  const [, code] = /```[tj]s\n([\s\S]*?)```/.exec(below ?? '') ?? [];
  if (code === undefined) throw new Error(`no example below ${heading}`);
  return code;
}

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A change of one place of the product's built text, whichever file that is in. */
export interface Edit {
  readonly find: string;
  readonly put: string;
}

export interface CrippledCore {
  /** What to import. */
  readonly url: string;
  remove(): void;
}

/** A copy of the built product with those changes. Each has to be found, once: else it would prove nothing. */
export function cripple(edits: readonly Edit[]): CrippledCore {
  // The sources, where they are run without a build, lie beside what is built of them.
  const home = dirname(dirname(createRequire(import.meta.url).resolve('@agent-state/core')));
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-crippled-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // A test runner leaves what lies in such a folder as it is.
  const copy = join(folder, 'node_modules', 'crippled');
  const isCode = (path: string) => extname(path) === '' || extname(path) === '.js';
  try {
    cpSync(join(home, 'dist'), join(copy, 'dist'), { recursive: true, filter: isCode });
    writeFileSync(join(copy, 'package.json'), '{ "type": "module" }');
    symlinkSync(join(home, 'node_modules'), join(copy, 'node_modules'));
    for (const edit of edits) apply(join(copy, 'dist'), edit);
  } catch (error) {
    remove();
    throw error;
  }
  return { url: pathToFileURL(join(copy, 'dist', 'index.js')).href, remove };
}

function apply(folder: string, { find, put }: Edit): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
  const found = files.flatMap((file) => {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    return Array.from({ length: text.split(find).length - 1 }, () => ({ path, text }));
  });
  const [place] = found;
  if (!place || found.length > 1) {
    throw new Error(`The product has this ${found.length} times, where it has to be there once: ${find}`);
  }
  writeFileSync(
    place.path,
    place.text.replace(find, () => put),
  );
}

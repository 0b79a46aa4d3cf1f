import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run, runOrThrow } from './run.mjs';
import { assertBuilt, root } from './workspace.mjs';

/**
 * An empty folder into which npm has installed the tarballs of these packages, as a user would.
 * @param {readonly import('./workspace.mjs').Package[]} packages
 */
export async function install(packages) {
  assertBuilt(packages);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-state-install-')));
  try {
    const tarballs = await pack(packages, join(folder, 'tarballs'));
    // The prefix: npm looks for a package.json in the folders above, too.
    const flags = ['--prefix', folder, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel', 'error'];
    await runOrThrow('npm', ['install', ...flags, ...tarballs], { cwd: folder, timeoutMs: 100_000 });
    return installationIn(folder);
  } catch (error) {
    remove(folder);
    throw error;
  }
}

/** Packs with pnpm, which writes the manifest as it is published. One by one: each builds what it needs first. */
async function pack(packages, folder) {
  mkdirSync(folder);
  for (const one of packages) await runOrThrow('pnpm', ['pack', '--pack-destination', folder], { cwd: one.folder });
  return readdirSync(folder).map((name) => join(folder, name));
}

const remove = (folder) => rmSync(folder, { recursive: true, force: true });

function installationIn(folder) {
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  return {
    folder,
    write,
    /** The names of all that is in node_modules, at any depth; one that is there twice is named twice. */
    installed: () => installedIn(folder),
    /** Writes a program and runs it with plain Node.js, within 20 s. */
    async runProgram(path, text, env = {}) {
      write(path, text);
      return run(process.execPath, [path], { cwd: folder, env, timeoutMs: 20_000 });
    },
    /** Puts a package in that the workspace has at hand: quicker than npm, for what is not under test. */
    link: (name, from = root) => link(folder, name, from),
    remove: () => remove(folder),
  };
}

/** npm's own list: paths like `node_modules/a/node_modules/@b/c`. */
function installedIn(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  return Object.keys(packages).map((path) => path.split('node_modules/').at(-1) ?? path);
}

function link(folder, name, from) {
  const source = createRequire(join(from, 'package.json')).resolve(`${name}/package.json`);
  const target = join(folder, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(realpathSync(dirname(source)), target, 'junction');
}

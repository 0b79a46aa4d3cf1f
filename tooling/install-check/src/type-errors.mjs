import { join } from 'node:path';
import { run } from './run.mjs';
import { root } from './workspace.mjs';

const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** The two ways in which users' projects find a module's types. */
export const resolutions = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

/**
 * What the workspace's TypeScript has to say about files of an installation, declarations in node_modules included.
 * @param {{ folder: string, write: (path: string, text: string) => void }} installation
 * @param {string} name of the configuration
 * @param {readonly string[]} files
 * @param {object} options besides strictness
 * @returns {Promise<string[]>} one for each error
 */
export async function typeErrors({ folder, write }, name, files, options) {
  const strict = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2023', types: [] };
  const config = `tsconfig.${name}.json`;
  write(config, JSON.stringify({ compilerOptions: { ...strict, ...options }, files }));
  const { code, stdout, stderr } = await run(process.execPath, [tsc, '-p', config, '--pretty', 'false'], {
    cwd: folder,
  });
  const errors = stdout.split('\n').filter((line) => line.trim() !== '');
  return code === 0 ? [] : [...errors, ...(errors.length > 0 ? [] : [`tsc: ${code} ${stderr}`])];
}

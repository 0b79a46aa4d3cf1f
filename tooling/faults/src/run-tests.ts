import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from './verdict.ts';

export interface Ran {
  readonly results: readonly Result[];
  /** Also where something failed that is not a test: a file that could not be loaded, an error that nobody caught. */
  readonly failed: boolean;
}

/** What vitest's JSON says of a run, as far as it is read here. */
interface Json {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly duration?: number | null;
    }[];
  }[];
}

const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));

/** Where what the tests print goes: not to standard output, which belongs to the rows. */
type Output = typeof standardError | 'ignore';
const standardError = 2;

/** Runs the tests of these files that name one of the ids, once, with the servers of `npm test`. */
export async function runTests(
  root: string,
  files: readonly string[],
  ids: readonly string[],
  output: Output = standardError,
): Promise<Ran> {
  if (files.length === 0) return { results: [], failed: false };
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-faults-'));
  try {
    const json = join(folder, 'results.json');
    const filter = `\\[(${ids.join('|')})\\]`;
    const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${json}`, '-t', filter, ...files];
    const code = await run(root, args, output);
    // There is none where not even the servers could be set up.
    return { results: existsSync(json) ? resultsOf(readFileSync(json, 'utf8')) : [], failed: code !== 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(root: string, args: readonly string[], output: Output): Promise<number> {
  const child = spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: ['ignore', output, output] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

function resultsOf(json: string): Result[] {
  const { testResults } = JSON.parse(json) as Json;
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .map(({ ancestorTitles, title, status, duration }) => ({
      title: [...ancestorTitles, title].join(' '),
      state: status === 'passed' || status === 'failed' ? status : 'skipped',
      ms: duration ?? 0,
    }));
}

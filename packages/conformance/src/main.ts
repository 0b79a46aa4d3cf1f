import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { cases } from './cases.ts';
import type { ExpectedFailure } from './expected.ts';
import { toJsonReport, toTable } from './report.ts';
import { runConformance } from './run.ts';
import type { ConformanceTarget } from './target.ts';

export const usage = `agent-state-conformance <module> [--json] [--only <start of an id>]

<module> is a file that exports \`target\`: { name, create() }, and may export \`expectedFailures\`.
--json   prints the report as JSON instead of a table
--only   runs the cases whose id begins so
--help   prints this
`;

/** What a module for the command exports. */
interface TargetModule {
  readonly target?: ConformanceTarget;
  readonly expectedFailures?: readonly ExpectedFailure[];
}

/** Runs the command. The exit code: 0 if the target conforms, 1 if not, 2 where it could not be asked. */
export async function main(
  args: readonly string[],
  write: (text: string) => void,
  load: (path: string) => Promise<TargetModule> = (path) => import(pathToFileURL(resolve(path)).href),
): Promise<0 | 1 | 2> {
  const parsed = parse(args);
  if (!parsed || parsed === 'help') {
    write(usage);
    return parsed ? 0 : 2;
  }
  const chosen = cases.filter(({ id }) => id.startsWith(parsed.only));
  if (chosen.length === 0) {
    write(`No case's id begins with ${parsed.only}.\n`);
    return 2;
  }
  const loaded = await load(parsed.path).catch((error: unknown) => ({ error }));
  if ('error' in loaded) {
    write(`${parsed.path} could not be loaded: ${String(loaded.error)}${adviceOn(loaded.error)}\n`);
    return 2;
  }
  const { target, expectedFailures = [] } = loaded;
  if (typeof target?.create !== 'function') {
    write(`${parsed.path} does not export a target: { name, create() }.\n`);
    return 2;
  }
  const report = await runConformance(target, {
    expectedFailures,
    cases: chosen,
  });
  write(parsed.json ? toJsonReport(report) : toTable(report));
  return report.counts.failed === 0 ? 0 : 1;
}

/** Not every Node.js loads TypeScript, and none loads all of it. */
function adviceOn(error: unknown): string {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const unknown = code === 'ERR_UNKNOWN_FILE_EXTENSION' && /"\.[cm]?tsx?"/.test(String(message));
  return unknown || code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' ? ' Compile it to JavaScript first.' : '';
}

function parse(args: readonly string[]): { path: string; json: boolean; only: string } | 'help' | undefined {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    const [path, ...more] = positionals;
    return path === undefined || more.length > 0 ? undefined : { path, ...values };
  } catch {
    // An unknown option: the usage says which there are.
    return undefined;
  }
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Options, optionsOf, UsageError, usage } from './arguments.ts';
import { cases } from './cases.ts';
import { failuresDocument, faultsDocument } from './document.ts';
import { idsIn } from './ids.ts';
import { reportOn } from './report.ts';
import { rows } from './rows.ts';
import { runTests } from './run-tests.ts';
import { filesFor, findTitles, type Title } from './titles.ts';
import { unknownIds } from './verdict.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

/** The command; gives its exit code. */
export async function command(args: readonly string[], root: string): Promise<number> {
  try {
    const options = optionsOf(args);
    if (options === 'help') {
      say(usage);
      return 0;
    }
    return (await run(options, root)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    complain(error.message);
    complain(usage.slice(0, usage.indexOf('\n')));
    return 2;
  }
}

async function run({ entries, docs }: Options, root: string): Promise<boolean> {
  const titles = findTitles(root);
  if (docs) writeDocuments(root, titles);
  const holds = entries.length === 0 || (await show(entries, root, titles));
  return noneUnknown(titles) && holds;
}

async function show(entries: Options['entries'], root: string, titles: readonly Title[]): Promise<boolean> {
  const ids = entries.map(({ id }) => id);
  const naming = titles.filter(({ text }) => idsIn(text).some((id) => ids.includes(id)));
  const { results, failed } = await runTests(root, filesFor(root, naming), ids);
  const { lines, allHold } = reportOn(entries, results);
  lines.forEach(say);
  if (failed && allHold) complain('something failed that is no test of these rows; it is named above');
  return allHold && !failed;
}

function writeDocuments(root: string, titles: readonly Title[]): void {
  writeFileSync(join(root, 'docs/faults.md'), faultsDocument(rows, titles));
  writeFileSync(join(root, 'docs/failures.md'), failuresDocument(cases, titles));
}

function noneUnknown(titles: readonly Title[]): boolean {
  const unknown = unknownIds(
    titles.map(({ text }) => text),
    [...rows, ...cases],
  );
  for (const id of unknown) complain(`a test names [${id}], which is in no list`);
  return unknown.length === 0;
}

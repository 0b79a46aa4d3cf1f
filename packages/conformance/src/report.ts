import { inspect } from 'node:util';
import type { CaseResult, ConformanceReport } from './run.ts';

/** The most of an error's text that a table shows. */
const maxErrorLines = 12;

/** The report as a table for people: one line a case, and what went wrong under it. */
export function toTable({ target, results, counts }: ConformanceReport): string {
  const width = Math.max(...results.map(({ id }) => id.length));
  const lines = results.flatMap((result) => [
    `${result.status.padEnd(8)} ${result.id.padEnd(width)}  ${sentenceOf(result)} (${result.ms} ms)`,
    ...detailsOf(result).map((line) => `         ${line}`),
  ]);
  const { passed, failed, skipped, expected } = counts;
  const sum = `${passed} passed, ${failed} failed, ${skipped} skipped, ${expected} expected to fail`;
  return [target, ...lines, sum, ''].join('\n');
}

/** The report as JSON for machines; an error is its text. */
export function toJsonReport(report: ConformanceReport): string {
  const results = report.results.map((result) => ({
    ...result,
    requirement: sentenceOf(result),
    ...('error' in result ? { error: textOf(result.error) } : {}),
  }));
  return `${JSON.stringify({ ...report, results }, null, 2)}\n`;
}

/** The ids of failures, as in `[S-DEL-01]`, are of this repository and say nothing to who writes an adapter. */
function sentenceOf({ requirement }: CaseResult): string {
  return requirement
    .replaceAll(/\[(?:[A-Z]\d+|S-[A-Z]+-\d+)\]/g, '')
    .trim()
    .replaceAll(/ {2,}/g, ' ');
}

function detailsOf(result: CaseResult): string[] {
  if (result.status === 'skipped') return [result.reason];
  if (result.status === 'passed') return [];
  const error = textOf(result.error).split('\n').slice(0, maxErrorLines);
  return result.status === 'expected' ? [result.reason, ...error] : error;
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : inspect(error);
}

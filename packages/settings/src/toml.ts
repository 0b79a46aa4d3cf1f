import { parse, TomlError } from 'smol-toml';
import { configurationError } from './faults.ts';
import type { Table } from './table.ts';

/** The file's tables; a syntax error names the file, the line and the column, and shows nothing of the text. */
export function parseFile(text: string, path: string): Table {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The error itself quotes the lines around the place, which may hold a password: neither they nor it go on.
    const [reason = ''] = error.message.split('\n');
    const what = reason.replace(/^Invalid TOML document: /, '');
    throw configurationError(path, `${path}, line ${error.line}, column ${error.column}: not valid TOML: ${what}.`);
  }
}

/** The text as one TOML value; undefined where it is none. */
export function parseValue(text: string): unknown {
  try {
    const table = parse(`value = ${text}`);
    // More than one key means that the text went on behind its value.
    return Object.keys(table).length === 1 ? table.value : undefined;
  } catch {
    return undefined;
  }
}

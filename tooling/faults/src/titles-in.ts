import { idsIn } from './ids.ts';

/** A string within one line, by its quotes. */
const literal = /(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g;
/** The title of a group that begins in a line; `])(` where a table of `each` stands before it. */
const group = /^(?:describe(?:\.\w+(?:\([^'"`]*\))?)*|\])\)?\((['"`])((?:\\.|(?!\1)[^\\])*)\1/;
/** What a test is given: its title has another word there each time. */
const placeholder = /\$\{[^}]*\}|%[sdifjo]|\$[a-z][\w.]*/g;

const plain = (inner: string): string => inner.replace(/\\(.)/g, '$1').replace(placeholder, '…');

/**
 * The titles with an id in them, in a source text, behind those of the groups around them. Groups are told by the
 * indentation, which the formatter keeps.
 */
export function titlesIn(text: string): string[] {
  const groups: { indent: number; title: string }[] = [];
  return text.split('\n').flatMap((line) => {
    const code = line.trimStart();
    if (code === '') return [];
    const indent = line.length - code.length;
    while ((groups.at(-1)?.indent ?? -1) >= indent) groups.pop();
    const around = groups.map(({ title }) => title);
    const [, , title] = group.exec(code) ?? [];
    if (title !== undefined) groups.push({ indent, title: plain(title) });
    return namedIn(code).map((named) => [...around, named].join(' › '));
  });
}

const namedIn = (code: string): string[] =>
  [...code.matchAll(literal)].map(([, , inner]) => plain(inner as string)).filter((title) => idsIn(title).length > 0);

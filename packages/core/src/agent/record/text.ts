import type { Message } from '../../state/schema.ts';

/** The text of a message: its string, or the text of its parts, one after the other. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (typeof part.text === 'string' ? part.text : '')).join('');
}

const bracketed = /\[([A-Z]\d{1,2}|S-[A-Z]{3}-\d{2})\]/g;

/** The ids in a title, without their brackets. */
export const idsIn = (title: string): string[] => [...title.matchAll(bracketed)].map(([, id]) => id as string);

/** A title as a sentence, without its ids. */
export const withoutIds = (title: string): string => title.replace(bracketed, '').replace(/\s+/g, ' ').trim();

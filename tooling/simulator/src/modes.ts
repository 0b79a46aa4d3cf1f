/** What a world has besides crashes, freezes and failing calls. */
export const modes = [
  /** Nothing. */
  'base',
  /** The store comes back with what it had some time before. */
  'rollback',
  /** The store comes back with nothing. */
  'empty',
  /** Single records are gone. */
  'evict',
  /** Histories are rewritten by others. */
  'rewrite',
  /** Tools kill their process. */
  'killer',
] as const;

export type Mode = (typeof modes)[number];

export function isMode(text: string): text is Mode {
  return (modes as readonly string[]).includes(text);
}

/** Without a mode of its own a seed gets one by its number: half of them are `base`. */
export function modeOf(seed: number): Mode {
  const others = modes.filter((mode) => mode !== 'base');
  return seed % 2 === 0 ? 'base' : (others[((seed - 1) / 2) % others.length] as Mode);
}

import type { Settings } from './settings.ts';

/** The settings as indented JSON, with `***` in the place of every secret. */
export function printSettings(settings: Settings): string {
  return JSON.stringify(settings, null, 2);
}

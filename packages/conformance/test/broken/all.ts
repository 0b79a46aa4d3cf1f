import type { BrokenAdapter } from './broken.ts';
import { brokenConditions } from './conditions.ts';
import { brokenData } from './data.ts';
import { brokenDeletes } from './deletes.ts';
import { brokenLists } from './lists.ts';
import { brokenPauses } from './pauses.ts';
import { brokenReferences } from './references.ts';
import { brokenTime } from './time.ts';

export const brokenAdapters: readonly BrokenAdapter[] = [
  ...brokenData,
  ...brokenReferences,
  ...brokenConditions,
  ...brokenDeletes,
  ...brokenLists,
  ...brokenPauses,
  ...brokenTime,
];

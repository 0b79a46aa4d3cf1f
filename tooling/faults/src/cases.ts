import type { Case } from './case.ts';
import { outageCases } from './cases/outages.ts';
import { storageCases } from './cases/storage.ts';
import { threadCases } from './cases/threads.ts';
import { useCases } from './cases/use.ts';

/** Every failure that has to be shown not to happen, in the order of the documents. */
export const cases: readonly Case[] = [...threadCases, ...storageCases, ...outageCases, ...useCases];

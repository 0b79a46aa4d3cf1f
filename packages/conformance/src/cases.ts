import { contract } from './cases/contract.ts';

/** The whole suite. */
export const cases = Object.freeze([...contract]);

export type CaseId = (typeof cases)[number]['id'];

export { type Capability, type CaseContext, type ConformanceCase, defineCase, type Need } from './case.ts';
export { type CaseId, cases } from './cases.ts';
export type { ExpectedFailure, Verdict } from './expected.ts';
export { type CaseResult, type ConformanceOptions, type ConformanceReport, runConformance } from './run.ts';
export { type Outcome, runCase } from './run-case.ts';
export type { ConformanceBackend, ConformanceTarget } from './target.ts';

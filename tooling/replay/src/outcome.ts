import { isAgentStateError } from '@agent-state/core';
import type { Difference } from './compare.ts';

/** What became of one thread. */
export interface Outcome {
  readonly threadId: string;
  readonly messages: number;
  readonly differences: readonly Difference[];
  /** Why the replay of this thread broke off. */
  readonly failure?: string;
  readonly killed: boolean;
  /** Tools that ran again though their result was saved. */
  readonly repeated: number;
}

/** An error in a few words: codes and places, no content. */
export function inWords(error: unknown): string {
  if (!isAgentStateError(error)) return error instanceof Error ? error.message : 'an unknown error';
  return error.path === undefined ? `${error.code}: ${error.message}` : `${error.code} at ${error.path}`;
}

export function succeeded({ differences, failure, repeated }: Outcome): boolean {
  return differences.length === 0 && failure === undefined && repeated === 0;
}

/** The line of a store. A thread that broke off differs, whatever is stored of it. */
export function summary(store: string, outcomes: readonly Outcome[], kill: boolean): string {
  const sum = (count: (outcome: Outcome) => number) => outcomes.reduce((before, outcome) => before + count(outcome), 0);
  const parts = [`${outcomes.length} threads`, `${sum(({ messages }) => messages)} messages`];
  if (kill) parts.push(`${sum(({ killed }) => Number(killed))} kills`);
  parts.push(`${sum(countDifferences)} differ`);
  if (kill) parts.push(`${sum(({ repeated }) => repeated)} finished tools repeated`);
  return `${store}: ${parts.join(', ')}`;
}

/** The first thing that went wrong, in words. */
export function firstFault(outcomes: readonly Outcome[]): string | undefined {
  const outcome = outcomes.find((candidate) => !succeeded(candidate));
  if (!outcome) return undefined;
  const { threadId, differences, failure, repeated } = outcome;
  const [first] = differences;
  if (failure !== undefined) return `thread ${threadId} broke off: ${failure}`;
  if (first) return `thread ${threadId} differs first at messages[${first.index}], ${first.field}`;
  return `thread ${threadId} ran ${repeated} finished ${repeated === 1 ? 'tool' : 'tools'} again`;
}

function countDifferences({ differences, failure }: Outcome): number {
  return failure === undefined ? differences.length : Math.max(1, differences.length);
}

import type { ModelAnswer } from '@agent-state/core';
import { calls, says } from '../agent.ts';

export interface Scenario {
  /** Each is sent when the one before has its answer; it is its own input id. */
  readonly inputs: readonly string[];
  readonly turns: readonly ModelAnswer[];
}

const n = (number: number) => ({ n: number });

export const scenarios = {
  /** Everything that a thread may have: parallel calls of each effect, an approval, variables, two inputs. */
  whole: {
    inputs: ['First', 'Second'],
    turns: [
      calls('put', n(1), 'look', n(1), 'pay', n(1)),
      calls('refund', n(1), 'put', n(2)),
      says('First done.'),
      says('Second done.'),
    ],
  },
  /** One call that may start once. */
  once: { inputs: ['Pay'], turns: [calls('pay', n(1)), says('Done.')] },
  /** One call that may run again. */
  idempotent: { inputs: ['Put'], turns: [calls('put', n(1)), says('Done.')] },
  /** Five calls that run side by side. */
  parallel: { inputs: ['Put'], turns: [calls(...[1, 2, 3, 4, 5].flatMap((at) => ['put', n(at)])), says('Done.')] },
  /** A call that a person has to approve, beside one that nobody has to. */
  approval: { inputs: ['Refund'], turns: [calls('put', n(1), 'refund', n(1)), says('Done.')] },
  /** An input that comes after another one. */
  twice: { inputs: ['First', 'Second'], turns: [calls('put', n(1)), says('First done.'), says('Second done.')] },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

/** The scenario's calls in the order of their results: `put 1`, `look 1` … */
export function callsOf(scenario: ScenarioName): string[] {
  const made: readonly ModelAnswer[] = scenarios[scenario].turns;
  return made.flatMap(({ toolCalls = [] }) =>
    toolCalls.map(({ function: { name, arguments: args } }) => `${name} ${(JSON.parse(args) as { n: number }).n}`),
  );
}

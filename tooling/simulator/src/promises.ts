import type { CallDecision, DoneResult } from '@agent-state/core';
import type { Asked } from './asked.ts';
import type { Deletes } from './deletes.ts';
import type { Process } from './process.ts';
import type { Scene } from './scene.ts';

interface Told {
  readonly process: Process;
  readonly threadId: string;
  readonly inputId: string;
  readonly answer: string;
  readonly at: number;
}

interface Cancel {
  readonly threadId: string;
  readonly runId: string;
  readonly born: string;
  readonly at: number;
}

/** What callers were told, to be held against what becomes of it. */
export interface Promises {
  /** Answers that were said to be stored, and answers that were said not to be yet. */
  readonly durable: Told[];
  readonly volatile: Told[];
  /** Of each call the decision that was said to count. */
  readonly verdicts: Map<string, CallDecision['verdict']>;
  readonly cancels: Cancel[];
  cancelledAt(runId: string | undefined): number;
  answered(process: Process, inputId: string, result: DoneResult): void;
  decided(asked: Asked, key: string, verdict: CallDecision['verdict']): void;
  cancelled(asked: Asked): void;
}

export function createPromises(scene: Scene, deletes: Deletes): Promises {
  const { scheduler } = scene;
  const answers = new Map<string, string>();
  const promises: Promises = {
    durable: [],
    volatile: [],
    verdicts: new Map(),
    cancels: [],
    cancelledAt: (runId) => promises.cancels.find((cancel) => cancel.runId === runId)?.at ?? Number.POSITIVE_INFINITY,
    answered(process, inputId, { threadId, answer, durable }) {
      const told = { process, threadId, inputId, answer, at: scheduler.now() };
      promises[durable ? 'durable' : 'volatile'].push(told);
      const name = `${threadId} ${inputId}`;
      const before = answers.get(name);
      if (!durable || scene.tainted.has(threadId) || deletes.tried.has(threadId)) return;
      answers.set(name, answer);
      if (before !== undefined && before !== answer) {
        scene.broken('inputs', `${inputId} was answered with "${before}", and then with "${answer}"`);
      }
    },
    decided({ threadId }, key, verdict) {
      scene.stats.decisions += 1;
      if (promises.verdicts.has(key) && !scene.tainted.has(threadId)) {
        scene.broken('decisions', `two decisions on ${key} were said to count`);
      }
      promises.verdicts.set(key, verdict);
    },
    cancelled({ threadId, landed }) {
      scene.stats.cancels += 1;
      const last = landed.at(-1);
      if (!last) return scene.broken('cancels', `a cancel of ${threadId} was said to be stored, and was not`);
      promises.cancels.push({ threadId, runId: last.runId, born: last.born, at: last.at });
    },
  };
  return promises;
}

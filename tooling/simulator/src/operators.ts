import type { CallDecision, OpenCall } from '@agent-state/core';
import { decide, propose } from './asking.ts';
import { resume } from './operations.ts';
import type { Plan } from './plan.ts';
import type { Machine } from './process.ts';
import { recordOf, type World } from './world.ts';

/** People who look at threads now and then, decide what waits for them, and resume what is paused. */
export function planOperators(world: World, { threadIds, troubleMs }: Plan): void {
  const { random } = world;
  if (random.chance(0.3)) return;
  for (let operators = random.between(1, 2); operators > 0; operators -= 1) {
    for (let at = random.next() * 3_000; at < troubleMs; at += 1_000 + random.next() * 6_000) {
      world.later(at, () => look(world, random.pick(threadIds)));
    }
  }
}

function look(world: World, threadId: string): void {
  const { random, machines } = world;
  if (recordOf(world, threadId)?.state.run?.phase !== 'paused') return;
  const [call] = waitingCalls(world, threadId);
  const thinksFor = random.chance(0.3) ? random.next() * 15_000 : 0;
  if (call) world.later(thinksFor, () => decideOn(world, random.pick(machines), threadId, call));
  if (random.chance(0.6)) world.later(random.next() * 120, () => resume(world, random.pick(machines), threadId));
  if (random.chance(0.3))
    world.later(random.next() * 60, () => decideSomething(world, random.pick(machines), threadId));
}

export function decideSomething(world: World, machine: Machine, threadId: string): void {
  const calls = waitingCalls(world, threadId);
  if (calls.length > 0) decideOn(world, machine, threadId, world.random.pick(calls));
}

export function waitingCalls(world: World, threadId: string): readonly OpenCall[] {
  const calls = recordOf(world, threadId)?.state.run?.calls ?? [];
  return calls.filter(({ waits_for, decision, result }) => waits_for && !decision && !result);
}

export function decideOn(world: World, machine: Machine, threadId: string, call: OpenCall): void {
  const { random } = world;
  if (call.waits_for === 'approval' && random.chance(0.15)) propose(world, machine, threadId, call.key);
  else decide(world, machine, threadId, call, decisionOn(world, call.waits_for));
}

function decisionOn({ random }: World, waitsFor: OpenCall['waits_for']): CallDecision {
  const answers: readonly CallDecision[] = [{ verdict: 'reject' }, { verdict: 'answer', result: 'by hand' }];
  if (waitsFor === 'outcome') return random.pick(answers);
  return random.pick<CallDecision>([
    { verdict: 'approve' },
    { verdict: 'approve' },
    { verdict: 'approve' },
    ...answers,
  ]);
}

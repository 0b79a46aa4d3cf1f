import type { Message, ThreadState } from '@agent-state/core';
import type { Plan } from './plan.ts';
import { textsOf } from './texts.ts';
import { recordOf, type World } from './world.ts';

/** What has to hold of what is stored in the end. */
export function judge(world: World, { threadIds }: Plan): void {
  for (const [threadId, { state }] of world.store.records) judgeHistory(world, threadId, state);
  for (const threadId of threadIds) {
    const record = recordOf(world, threadId);
    if (!record) {
      world.broken('stuck', `${threadId} is not there in the end`);
      continue;
    }
    judgeVolatile(world, threadId, record.state);
    if (world.tainted.has(threadId)) judgeLost(world, threadId);
    else judgePromises(world, threadId, record.state, record.control.life.born);
  }
}

/** Nothing is there twice, and every call is followed by its result, in order. */
function judgeHistory(world: World, threadId: string, { history, run }: ThreadState): void {
  const inputs = history.flatMap(({ metadata }) => (metadata?.input_id === undefined ? [] : [metadata.input_id]));
  if (new Set(inputs).size !== inputs.length)
    world.broken('inputs', `${threadId} has an input twice: ${inputs.join(', ')}`);
  const texts = textsOf(history);
  if (new Set(texts).size !== texts.length)
    world.broken('history', `${threadId} has a message twice: ${texts.join(', ')}`);
  if (run?.calls.length) world.broken('stuck', `${threadId} still has open calls`);
  if (!isInOrder(history)) world.broken('order', `${threadId} parts calls from their results: ${shape(history)}`);
}

function isInOrder(history: readonly Message[]): boolean {
  let open: string[] = [];
  for (const message of history) {
    const expected = open.shift();
    if (expected !== resultFor(message)) return false;
    if (expected === undefined) open = message.metadata?.tool_calls?.map(({ id }) => id) ?? [];
  }
  return open.length === 0;
}

const resultFor = ({ role, metadata }: Message): string | undefined =>
  role === 'tool' ? (metadata?.tool_call_id ?? '') : undefined;

function shape(history: readonly Message[]): string {
  return history.map(({ role, metadata }) => role.slice(0, 1) + (metadata?.tool_calls?.length ?? '')).join(' ');
}

function forksOf({ store }: World, threadId: string): ThreadState[] {
  return [...store.records].filter(([id]) => id.startsWith(`${threadId}~`)).map(([, { state }]) => state);
}

/** An answer that was not stored when it was given is stored by now, in the thread or in a fork of it. */
function judgeVolatile(world: World, threadId: string, state: ThreadState): void {
  const { promises, deletes, landings } = world.ledger;
  if (deletes.tried.has(threadId) || world.tainted.has(threadId)) return;
  const texts = new Set([state, ...forksOf(world, threadId)].flatMap(({ history }) => textsOf(history)));
  for (const told of promises.volatile) {
    const kept = texts.has(told.answer) || landings.dropped.has(told.answer) || !told.process.gate.alive;
    if (told.threadId === threadId && !kept) {
      world.broken('volatile', `"${told.answer}" of ${told.process.id} is neither in ${threadId} nor in a fork`);
    }
  }
}

/** What the store lost is there again, or in a fork, where its owner lived on. */
function judgeLost(world: World, threadId: string): void {
  const { owners, deletes } = world.ledger;
  if (deletes.tried.has(threadId)) return;
  const states = [recordOf(world, threadId)?.state, ...forksOf(world, threadId)];
  const texts = new Set(states.flatMap((state) => textsOf(state?.history ?? [])));
  for (const owner of owners.lost) {
    if (owner.threadId !== threadId || !owner.process.gate.alive) continue;
    const gone = owner.texts.find((text) => !texts.has(text));
    if (gone !== undefined)
      world.broken('restored', `"${gone}" of ${owner.process.id} is neither in ${threadId} nor in a fork`);
  }
}

function judgePromises(world: World, threadId: string, state: ThreadState, born: string): void {
  const { promises, landings, deletes } = world.ledger;
  const texts = new Set(textsOf(state.history));
  for (const { answer, ...told } of promises.durable) {
    const kept = texts.has(answer) || landings.dropped.has(answer) || deletes.tried.has(threadId);
    if (told.threadId === threadId && !kept) world.broken('durable', `"${answer}" was said to be stored, and is gone`);
    if (told.threadId === threadId && !deletes.tried.has(threadId)) judgeOutcome(world, state, told.inputId, 'done');
  }
  for (const { runId, ...cancel } of promises.cancels) {
    if (cancel.threadId === threadId && cancel.born === born) judgeCancelled(world, state, runId);
  }
  judgeInputs(world, threadId, state, born);
  const isHere = (key: string) => landings.threads.get(key) === threadId;
  for (const [key, verdict] of promises.verdicts) if (isHere(key)) judgeDecision(world, key, verdict);
  for (const [key, outcome] of landings.outcomes) if (isHere(key)) judgeOnce(world, key, outcome);
}

/** An input that was ever stored is there, or what became of it is: told by the next one, or by the first message. */
function judgeInputs(world: World, threadId: string, state: ThreadState, born: string): void {
  const there = new Set([
    ...state.history.map(({ metadata }) => metadata?.input_id),
    ...previousRuns(state).map(({ input_id }) => input_id),
  ]);
  for (const inputId of world.ledger.landings.inputs.get(born) ?? []) {
    if (!there.has(inputId)) world.broken('inputs', `${inputId} was accepted, and is gone from ${threadId}`);
  }
}

function previousRuns({ history }: ThreadState) {
  return history.flatMap(({ metadata }) => [
    ...(metadata?.previous_run ? [metadata.previous_run] : []),
    ...(metadata?.earlier_inputs ?? []),
  ]);
}

function judgeOutcome(world: World, state: ThreadState, inputId: string, outcome: string): void {
  const previous = previousRuns(state).find(({ input_id }) => input_id === inputId);
  if (!previous || previous.outcome === outcome) return;
  world.broken('inputs', `${inputId} was answered, and its outcome reads ${previous.outcome}`);
}

function judgeCancelled(world: World, state: ThreadState, runId: string): void {
  const previous = previousRuns(state).find(({ run_id }) => run_id === runId);
  if (!previous || previous.outcome === 'cancelled') return;
  world.broken('cancels', `run ${runId} was cancelled, and its outcome reads ${previous.outcome}`);
}

function judgeDecision(world: World, key: string, verdict: string): void {
  const { calls, outcomes } = world.ledger.landings;
  const outcome = outcomes.get(key);
  if (outcome === undefined) return;
  if (verdict === 'approve' && outcome === 'rejected')
    world.broken('decisions', `${key} was approved, and reads ${outcome}`);
  // Of a call that may have run, nobody can say that it did not.
  const rejected = calls.get(key)?.waits_for === 'outcome' ? 'unknown' : 'rejected';
  if (verdict === 'reject' && outcome !== rejected)
    world.broken('decisions', `${key} was rejected, and reads ${outcome}`);
}

/** A call that may have run is never told as one that did not. */
function judgeOnce(world: World, key: string, outcome: string): void {
  const call = world.ledger.landings.calls.get(key);
  if (call?.effect !== 'once' || !world.ledger.hasStarted(key)) return;
  if (outcome === 'not_run' || outcome === 'rejected') world.broken('once', `${key} was started, and reads ${outcome}`);
}

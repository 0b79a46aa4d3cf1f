import type { Message, OpenCall, StoreWrite } from '@agent-state/core';
import type { Process } from './process.ts';
import type { Scene, Writer } from './scene.ts';
import type { Stored } from './store.ts';

export interface Claim {
  readonly process: Process;
  readonly threadId: string;
  readonly at: number;
}

/** What was stored, write by write; within a generation of a life nothing of it may go or change. */
export interface Landings {
  /** Keys of `once` calls of which it is stored that they start. */
  readonly intents: Set<string>;
  /** Keys of calls whose result is stored. */
  readonly settled: Set<string>;
  /** How a settled call ended, as its message tells: `done`, `unknown`, `rejected` … */
  readonly outcomes: Map<string, string>;
  readonly calls: Map<string, OpenCall>;
  /** The thread of a call. */
  readonly threads: Map<string, string>;
  /** The run that made a call. */
  readonly runs: Map<string, string>;
  readonly claims: Map<string, Claim>;
  /** Texts that a rewrite left out. */
  readonly dropped: Set<string>;
  /** The inputs that were ever stored in a life. */
  readonly inputs: Map<string, Set<string>>;
  lastClaim(process: Process, threadId: string): string | undefined;
  saved(threadId: string, before: Stored | undefined, after: Stored, write: StoreWrite, writer: Writer): void;
}

export function createLandings(scene: Scene): Landings {
  const lastClaims = new Map<string, string>();
  const landings: Landings = {
    intents: new Set(),
    settled: new Set(),
    outcomes: new Map(),
    calls: new Map(),
    threads: new Map(),
    runs: new Map(),
    claims: new Map(),
    dropped: new Set(),
    inputs: new Map(),
    lastClaim: (process, threadId) => lastClaims.get(`${process.id} ${threadId}`),
    saved(threadId, before, after, write, writer) {
      const { control, state } = after;
      if (before) assertGrown(scene, threadId, before, after, writer);
      if (writer.asked) {
        writer.asked.landed.push({
          at: scene.scheduler.now(),
          runId: state.run?.id ?? '',
          born: control.life.born,
          claim: state.run?.claim ?? '',
        });
      }
      if (state.run?.claim === control.etag && !writer.asked) {
        landings.claims.set(control.etag, { process: writer.process, threadId, at: scene.scheduler.now() });
        lastClaims.set(`${writer.process.id} ${threadId}`, control.etag);
      }
      noteInputs(landings, after);
      if (before) noteResults(landings, before, after);
      for (const { key } of state.run?.calls ?? []) landings.threads.set(key, threadId);
      for (const call of state.run?.calls ?? []) noteCall(landings, call, state.run?.id ?? '');
      if (write.replaces && before) noteDropped(landings, before, after);
    },
  };
  return landings;
}

function outcomeIn({ metadata }: Message): string {
  const outcome = metadata?.outcome;
  return typeof outcome === 'string' ? outcome : 'done';
}

function noteInputs({ inputs }: Landings, after: Stored): void {
  const { born } = after.control.life;
  const known = inputs.get(born) ?? new Set();
  inputs.set(born, known);
  for (const inputId of inputIdsOf(after)) known.add(inputId);
}

function noteCall({ intents, settled, calls, runs, outcomes }: Landings, call: OpenCall, runId: string): void {
  calls.set(call.key, call);
  // A later run may find it open.
  if (!runs.has(call.key)) runs.set(call.key, runId);
  if (call.status === 'started') intents.add(call.key);
  if (!call.result) return;
  settled.add(call.key);
  outcomes.set(call.key, outcomeIn(call.result));
}

/** The results of the calls that were open before lie where their messages are now. */
function noteResults({ settled, outcomes }: Landings, before: Stored, { control, state }: Stored): void {
  if (before.control.generation !== control.generation || before.control.life.born !== control.life.born) return;
  for (const [index, { key }] of (before.state.run?.calls ?? []).entries()) {
    const message = state.history[before.control.length + index];
    if (message?.role !== 'tool') continue;
    settled.add(key);
    outcomes.set(key, outcomeIn(message));
  }
}

function noteDropped({ dropped }: Landings, before: Stored, after: Stored): void {
  const kept = new Set(after.state.history.map(({ content }) => content));
  for (const { content } of before.state.history) {
    if (typeof content === 'string' && !kept.has(content)) dropped.add(content);
  }
}

function assertGrown(scene: Scene, threadId: string, before: Stored, after: Stored, writer: Writer): void {
  const fault = faultOf(before, after, writer.asked?.kind === 'rewrite');
  if (!fault) return;
  const { asked, process } = writer;
  const [rule, what] = fault;
  scene.broken(
    rule,
    `${what}: ${threadId} by ${asked ? `${process.id}/${asked.kind}` : process.id}, ${after.control.etag}`,
  );
}

function faultOf(before: Stored, after: Stored, rewrites: boolean): readonly [string, string] | undefined {
  if (before.control.life.born !== after.control.life.born)
    return ['lives', 'a life was written over without a delete'];
  if (before.control.generation !== after.control.generation) {
    return rewrites ? undefined : ['history', 'a history was replaced, and nobody asked for it'];
  }
  if (after.control.length < before.control.length) return ['history', 'messages are gone'];
  for (const [index, text] of before.messages) {
    if (after.messages.get(index) !== text) return ['history', `message ${index} is another one`];
  }
  for (const [index, { key, result }] of (before.state.run?.calls ?? []).entries()) {
    const kept = after.control.length > before.control.length + index || after.state.run?.calls[index]?.result;
    if (result && !kept) return ['results', `the result of ${key} is gone`];
  }
  const there = new Set(inputIdsOf(after));
  const lost = inputIdsOf(before).find((inputId) => !there.has(inputId));
  return lost === undefined ? undefined : ['inputs', `what ${lost} said is gone`];
}

/** The inputs whose messages are there, those that wait for open calls included. */
function inputIdsOf({ state }: Stored): string[] {
  const messages = [...state.history, ...(state.run?.pending_inputs ?? [])];
  return messages.flatMap(({ metadata }) => metadata?.input_id ?? []);
}

import type { Absence, Checkpoint } from '../../protocol/checkpointer.ts';
import type { AgentStateError } from '../../protocol/errors.ts';
import type { Position, TimeToLive } from '../../protocol/position.ts';
import { type Base, immortal, isAbsence } from '../../protocol/prepare.ts';
import type { JsonObject } from '../../state/json.ts';
import type { Pause, ThreadState } from '../../state/schema.ts';
import type { AgentEvent } from '../events.ts';
import type { StepDraft } from '../record/step-record.ts';
import type { KnownWrite } from './conflict.ts';

/**
 * What a process holds of a thread while it works on it, and after that for as long as something of it is not stored.
 * Plain data: saving moves it towards the store, a run moves the thread on.
 */
export interface Hold {
  readonly threadId: string;
  state: ThreadState;
  /** All step records since this hold began. */
  readonly steps: StepDraft[];
  /** Counts changes of the state; `savedVersion` is the last one that the store acknowledged. */
  version: number;
  savedVersion: number;
  /** What the next save builds on. `unknown`: the load failed, so it is not known whether there is a thread. */
  base: Base | 'unknown';
  /** The variables and the number of step records that are stored with the base. */
  baseVariables: JsonObject | undefined;
  baseSteps: number;
  life: { readonly born: string | null; readonly after: string | null };
  /** The write id of the acknowledged claim; null: the next save claims. */
  claim: string | null;
  /** The write ids of all attempts to claim. */
  readonly claims: Set<string>;
  /** The most that the store ever acknowledged of the history: its length, and the results ahead of it. */
  acknowledged: { readonly version: number; readonly length: number; readonly ahead: readonly number[] };
  readonly writes: Map<string, OwnWrite>;
  /** The time to live as last saved, and when, on the monotonic clock. */
  ttl: TimeToLive;
  savedAt: number;
  saving: Promise<void> | undefined;
  /** The store is out of reach: steps are kept in memory and a probe tries to save them. */
  volatile: boolean;
  /** Whether a run works on this hold. */
  running: boolean;
  /** Who streams the run that works on this hold: hears what happens between it and the store as well. */
  listen: ((event: AgentEvent) => void) | undefined;
  /** The run at work hears here that somebody asked it to pause, or cancelled it. */
  interrupt: ((why: Interrupt) => void) | undefined;
  /** Why this hold writes nothing more; its run stops with it. */
  stopped: AgentStateError | undefined;
  /** Aborts what the run is doing when the hold is stopped. */
  readonly halt: AbortController;
  /** Ends the probe's wait early. */
  wakeProbe: () => void;
}

/** A write of this hold, or the record that it began with. */
export interface OwnWrite extends KnownWrite {
  readonly variables: JsonObject;
  /** The pause that it wrote. */
  readonly pause: Pause | null;
  /** The claim under which it was written; undefined of the record that the hold began with. */
  readonly claim?: string;
}

/** `pause`: begin nothing new; `cancel`: stop now; `release`: stop now, for somebody else to go on. */
export type Interrupt = 'pause' | 'cancel' | 'release';

/** A hold on what was loaded, or on a new state where nothing is stored or nothing is known. */
export function createHold(
  threadId: string,
  loaded: Checkpoint | Absence | 'unknown',
  fresh: () => ThreadState,
  now: number,
): Hold {
  const stored = loaded !== 'unknown' && loaded.found ? loaded : undefined;
  const state = stored?.state ?? fresh();
  const after = loaded === 'unknown' || loaded.found ? null : loaded.tombstone;
  const hold: Hold = {
    threadId,
    state,
    steps: [],
    version: 0,
    savedVersion: 0,
    base: loaded,
    baseVariables: stored?.state.variables,
    baseSteps: 0,
    life: stored?.life ?? { born: null, after },
    claim: null,
    claims: new Set(),
    acknowledged: { version: 0, length: 0, ahead: [] },
    writes: new Map(),
    ttl: stored?.ttl ?? immortal,
    savedAt: now,
    saving: undefined,
    volatile: false,
    running: false,
    listen: undefined,
    interrupt: undefined,
    stopped: undefined,
    halt: new AbortController(),
    wakeProbe: () => {},
  };
  if (stored) {
    const { variables, run } = stored.state;
    const pause = run?.pause ?? null;
    hold.writes.set(stored.etag, { version: 0, steps: 0, acknowledged: true, variables, pause });
  }
  return hold;
}

/** Replaces the state; the next flush saves it. */
export function update(hold: Hold, change: (state: ThreadState) => ThreadState): void {
  hold.state = change(hold.state);
  hold.version += 1;
}

/** Whether something of it is in memory only. */
export function isUnsaved(hold: Hold): boolean {
  return hold.savedVersion < hold.version;
}

/** Whether it builds on a record of the store. */
export function isStored<H extends Pick<Hold, 'base'>>(hold: H): hold is H & { readonly base: Position } {
  return hold.base !== 'unknown' && !isAbsence(hold.base);
}

/** How many messages are already stored. */
export function storedLength(hold: Pick<Hold, 'base'>): number {
  return isStored(hold) ? hold.base.length : 0;
}

/** Stops the hold for good: nothing more is written, and what its run is doing is aborted. */
export function stop(hold: Hold, error: AgentStateError): AgentStateError {
  hold.stopped ??= error;
  hold.volatile = false;
  hold.halt.abort(hold.stopped);
  hold.wakeProbe();
  return hold.stopped;
}

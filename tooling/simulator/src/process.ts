import type { AgentFactory, Threads } from '@agent-state/core';
import type { Asked } from './asked.ts';
import type { Gate } from './gate.ts';

/** What a run or resume does about a thread that is busy. */
export interface Turn {
  readonly onBusy: 'wait' | 'takeOver' | 'throw';
}

/** A machine: what runs on it may die, and is started again. */
export interface Machine {
  readonly name: string;
  process: Process;
  /** How often a process was started on it. */
  starts: number;
  /** Until when nothing of it reaches the store. */
  cutOffUntil: number;
  /** Dies at the so manieth thing that it does from now on. */
  doom: number | undefined;
}

/** One life of a process. */
export interface Process {
  /** Its machine and its number: `P1.2`. */
  readonly id: string;
  readonly machine: Machine;
  readonly gate: Gate;
  readonly factory: AgentFactory;
  /** What somebody does through `threads`, with what becomes of it. */
  readonly threads: (asked: Asked) => Threads;
  /** Threads of which it held steps in memory only, or forked some. */
  readonly wasVolatile: Set<string>;
  readonly diverged: Set<string>;
  /** Whether its agents were closed: from then on they begin nothing and write nothing. */
  closed: boolean;
  /** Whether they are being closed: runs that do not end in time are let go of. */
  closing: boolean;
  /** When it was last told what is stored of a thread. */
  readonly readAt: Map<string, number>;
  /** Runs at work or waiting for their turn, by thread. */
  readonly queued: Map<string, Turn[]>;
}

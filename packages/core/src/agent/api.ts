import type { Checkpointer } from '../protocol/checkpointer.ts';
import type { JsonObject } from '../state/json.ts';
import type { Message, Pause, TokenUsage } from '../state/schema.ts';
import type { CloseOptions } from './close-options.ts';
import type { StreamEvent } from './events.ts';
import type { PendingCall } from './record/pending-calls.ts';
import type { UnsavedThread } from './saving/hub.ts';

/** What a user says: text, or parts as the model takes them. */
export type AgentInput = string | readonly JsonObject[];

export interface RunOptions {
  /** Where nothing is stored, the thread begins with it; a stored history takes precedence. */
  readonly history?: readonly Message[] | undefined;
  /**
   * Names the input: it is accepted once. Sent again, it gets what became of it (its answer, its pause, its error), also
   * after later inputs and from another process, without a model call, a tool or a write. Default: a new id.
   */
  readonly inputId?: string | undefined;
  /** Runs an input again whose run failed or was cancelled, if it is the thread's last one; named by its `inputId`. */
  readonly retry?: boolean | undefined;
  /** Ends the run: what is stored stays, and says that it was cancelled. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Where another process works on the thread, or died while it did. `wait`: an owner that is silent for three
   * heartbeats is taken over, one that lives is waited for, 30 s at most, then `busy`. Default: the factory's.
   */
  readonly onBusy?: 'wait' | 'takeOver' | 'throw' | undefined;
  /**
   * On a thread that is paused: `throw` refuses the input with `paused` (the default); `reject` answers the calls that
   * wait for a person as rejected, settles the others without running them, and takes the input; not while the store is
   * out of reach, for somebody may have decided.
   */
  readonly onPaused?: 'throw' | 'reject' | undefined;
}

export type ResumeOptions = Pick<RunOptions, 'signal' | 'onBusy'>;

interface ResultBase {
  /** Whether the store acknowledged everything, the answer or the pause included. */
  readonly durable: boolean;
  readonly threadId: string;
  readonly runId: string;
  /** The thread's `current_step`. */
  readonly step: number;
  /** The tokens of this run's answers, as far as the model told them. */
  readonly usage: TokenUsage;
}

export interface DoneResult extends ResultBase {
  readonly status: 'done';
  /** The text of the answer. */
  readonly answer: string;
  readonly message: Message;
}

/** The run waits. It holds no process and no connection; any process goes on with `resume`. */
export interface PausedResult extends ResultBase {
  readonly status: 'paused';
  readonly answer?: undefined;
  readonly message?: undefined;
  readonly pause: Pause;
  /**
   * The calls that wait for a person: `threads.decide` takes their keys. None where the pause was asked for, or where all
   * have been decided meanwhile.
   */
  readonly calls: readonly PendingCall[];
}

export type RunResult = DoneResult | PausedResult;

export interface ThreadStatus {
  readonly running: boolean;
  /** Whether everything that this process holds of the thread is stored. */
  readonly durable: boolean;
  /** Whether the store is out of reach and the thread goes on in memory. */
  readonly volatile: boolean;
  /** Steps that are in memory only. */
  readonly unsavedSteps: number;
}

/** An agent on a thread. */
export interface AgentService {
  readonly threadId: string;
  /** The store, as handed to the factory. Throws `unsupported` where the agent has no thread id or no store. */
  readonly checkpointer: Checkpointer;
  /**
   * Answers the input, or pauses where a tool needs a person. What is stored of the thread is restored first, and every
   * step is saved. Throws `max_iterations`, `max_execution_time`, `max_attempts`, `model`, `aborted`, `taken_over`,
   * `deleted`, `busy`, `paused`, `superseded`, and what the store throws that is not an outage.
   */
  run(input: AgentInput, options?: RunOptions): Promise<RunResult>;
  /** As `run`, with what happens on the way; the last event is the result. Ending the loop early aborts the run. */
  stream(input: AgentInput, options?: RunOptions): AsyncIterable<StreamEvent<RunResult>>;
  /**
   * Goes on where a process stopped or a run paused. A thread that is done gives its answer, one that still waits for a
   * decision its pause, without a model call or a write. Where another process works on it, `resume` takes the thread
   * over at once; who does not know that this process is dead says `onBusy: 'wait'`, and gets that run's result.
   */
  resume(options?: ResumeOptions): Promise<RunResult>;
  /** As `resume`, with what happens on the way, as `stream` tells it. */
  resumeStream(options?: ResumeOptions): AsyncIterable<StreamEvent<RunResult>>;
  status(): ThreadStatus;
  /**
   * Waits until this thread's runs have ended and all is stored, `deadlineMs` (default 5,000) at most. What could not
   * be stored by then is handed out.
   */
  close(options?: CloseOptions): Promise<{ readonly unsaved: readonly UnsavedThread[] }>;
}

import type { Checkpointer } from '../protocol/checkpointer.ts';
import type { JsonObject } from '../state/json.ts';
import type { Message, TokenUsage } from '../state/schema.ts';
import type { StreamEvent } from './events.ts';
import type { UnsavedThread } from './hub.ts';

/** What a user says: text, or parts as the model takes them. */
export type AgentInput = string | readonly JsonObject[];

export interface RunOptions {
  /** Where nothing is stored, the thread begins with it; a stored history takes precedence. */
  readonly history?: readonly Message[];
  /** Ends the run: what is stored stays, and says that it was cancelled. */
  readonly signal?: AbortSignal;
  /** What to do where another process works on the thread, or died while it did; default `takeOver`. */
  readonly onBusy?: 'takeOver' | 'throw';
}

export interface RunResult {
  readonly status: 'done';
  /** The text of the answer. */
  readonly answer: string;
  readonly message: Message;
  /** Whether the store acknowledged everything, the answer included. */
  readonly durable: boolean;
  readonly threadId: string;
  readonly runId: string;
  /** `current_step` after the run. */
  readonly step: number;
  /** The tokens of this run's answers, as far as the model told them. */
  readonly usage: TokenUsage;
}

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
   * Answers the input. What is stored of the thread is restored first, and every step is saved. Throws
   * `max_iterations`, `max_execution_time`, `model`, `aborted`, `taken_over`, `deleted`, `busy`, and what the store
   * throws that is not an outage.
   */
  run(input: AgentInput, options?: RunOptions): Promise<RunResult>;
  /** As `run`, with what happens on the way; the last event is the result. Ending the loop early aborts the run. */
  stream(input: AgentInput, options?: RunOptions): AsyncIterable<StreamEvent<RunResult>>;
  /** Goes on where a process stopped. A thread that is done gives its answer, without a model call or a write. */
  resume(options?: Pick<RunOptions, 'signal'>): Promise<RunResult>;
  status(): ThreadStatus;
  /**
   * Waits until this thread's runs have ended and all is stored, `deadlineMs` (default 5,000) at most. What could not
   * be stored by then is handed out.
   */
  close(options?: { readonly deadlineMs?: number }): Promise<{ readonly unsaved: readonly UnsavedThread[] }>;
}

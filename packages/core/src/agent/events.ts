import type { ErrorCode } from '../protocol/errors.ts';
import type { TokenUsage } from '../state/schema.ts';

/**
 * What happens to a thread, for logs, metrics and traces. No event shows state content or a secret: names, ids, counts
 * and codes only.
 */
export type AgentEvent =
  | { readonly type: 'run_started'; readonly threadId: string; readonly runId: string; readonly resumed: boolean }
  | {
      readonly type: 'thought';
      readonly threadId: string;
      readonly step: number;
      readonly calls: number;
      readonly usage?: TokenUsage;
    }
  /**
   * The model failed for now, or gave what cannot be used, and is asked again, for the `attempt`th time. The text that
   * came since the last thought is void: it comes anew.
   */
  | { readonly type: 'asked_again'; readonly threadId: string; readonly attempt: number }
  | {
      readonly type: 'tool_started';
      readonly threadId: string;
      readonly tool: string;
      readonly callId: string;
      readonly attempt: number;
    }
  | {
      readonly type: 'tool_finished';
      readonly threadId: string;
      readonly tool: string;
      readonly callId: string;
      /** `aborted`: the run ended first; whether the tool did is not known. */
      readonly status: 'done' | 'failed' | 'aborted';
    }
  | { readonly type: 'acted'; readonly threadId: string; readonly step: number }
  | {
      readonly type: 'run_ended';
      readonly threadId: string;
      readonly runId: string;
      readonly code: ErrorCode | 'done' | 'paused';
    }
  /** Another process works on the thread; the run waits for it. */
  | { readonly type: 'waiting'; readonly threadId: string }
  /** The system prompt of the profile differs from the stored one. */
  | { readonly type: 'prompt_changed'; readonly threadId: string }
  /** The store failed; the run goes on in memory. Once an outage. */
  | { readonly type: 'volatile'; readonly threadId: string; readonly code: ErrorCode }
  /** Everything of the outage is stored. */
  | { readonly type: 'rejoined'; readonly threadId: string; readonly steps: number }
  /** The record was gone from the store, without a delete; it is written again from memory. */
  | { readonly type: 'vanished'; readonly threadId: string }
  /** The store has an older record of this writer than it acknowledged; what is missing is sent again. */
  | { readonly type: 'rolled_back'; readonly threadId: string }
  /** Somebody else has gone on with the thread: the steps that only this process has are kept under a thread of their own. */
  | { readonly type: 'diverged'; readonly threadId: string; readonly forkId: string; readonly steps: number };

/** What `stream` yields: the events, the model's text as it comes, and at the end the result. */
export type StreamEvent<Result> =
  | AgentEvent
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'result'; readonly result: Result };

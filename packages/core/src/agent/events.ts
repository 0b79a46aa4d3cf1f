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
      readonly status: 'done' | 'failed';
    }
  | { readonly type: 'acted'; readonly threadId: string; readonly step: number }
  | { readonly type: 'run_ended'; readonly threadId: string; readonly runId: string; readonly code: ErrorCode | 'done' }
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
  /** Steps that are only in memory cannot be stored: somebody else has gone on with the thread. */
  | { readonly type: 'diverged'; readonly threadId: string; readonly steps: number };

/** What `stream` yields: the events, the model's text as it comes, and at the end the result. */
export type StreamEvent<Result> =
  | AgentEvent
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'result'; readonly result: Result };

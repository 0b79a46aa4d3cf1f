import type { OpenCall, ThreadState, ToolCall } from '../../state/schema.ts';
import { questionKey } from './call-key.ts';
import { isWaiting } from './call-state.ts';
import { takesDecisions } from './run-state.ts';

/** A call that waits for a person. */
export interface PendingCall {
  /** Stands for this call with these arguments, and for what is asked of it (`waitsFor`); a decision names it. */
  readonly key: string;
  /** The key that the tool gets: by it a person may find what became of the call. */
  readonly idempotencyKey: string;
  /** The id that the model gave it. */
  readonly callId: string;
  readonly tool: string;
  /** JSON text, as the model sent it or as a person proposed it. */
  readonly arguments: string;
  /** `approval`: before it runs; `outcome`: it may have run when its process died, and nobody knows. */
  readonly waitsFor: 'approval' | 'outcome';
}

/** The open calls that wait for a person, as he has to see them. */
export function pendingCalls({ history, run }: ThreadState): readonly PendingCall[] {
  if (!run || !takesDecisions(run)) return [];
  const made = history.at(-1)?.metadata?.tool_calls ?? [];
  return run.calls.flatMap((call, index) => (isWaiting(call) ? [pendingCall(call, made[index])] : []));
}

function pendingCall(call: OpenCall, made: ToolCall | undefined): PendingCall {
  return Object.freeze({
    key: questionKey(call),
    idempotencyKey: call.key,
    callId: call.id,
    tool: call.tool,
    arguments: call.arguments ?? made?.function.arguments ?? '',
    waitsFor: call.waits_for ?? 'approval',
  });
}

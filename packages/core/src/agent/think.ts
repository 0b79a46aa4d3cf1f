import type { ModelAnswer, ModelRequest } from '../model/model.ts';
import { AgentStateError, type ErrorCode, isAgentStateError } from '../protocol/errors.ts';
import { toMessage } from '../state/encode.ts';
import type { Message, OpenCall, ToolCall } from '../state/schema.ts';
import { needsApproval } from './approval.ts';
import { callKey } from './call-key.ts';
import { assertFits } from './results.ts';
import { advance, isInterrupted, noteStep, type RunContext } from './run-context.ts';
import { describeTool } from './tool.ts';
import { thought } from './transitions.ts';
import { untilAborted } from './until-aborted.ts';
import { modelView } from './view.ts';

const unstorable: ReadonlySet<ErrorCode> = new Set(['not_serializable', 'invalid_state', 'too_large']);

/** How often one Think asks the model again after an answer that could not be used. */
const maxAnswers = 3;

/** One Think: ask the model and save what it says (W1) before anything is done about it. */
export async function think(run: RunContext): Promise<boolean> {
  assertMayThink(run);
  const answer = await usableAnswer(run, requestOf(run));
  const calls = answer && (await unlessPaused(run, () => plannedCalls(run, answer.calls)));
  run.signal.throwIfAborted();
  if (!answer || !calls || isInterrupted(run)) return false;
  advance(run, (state) => thought(state, answer.message, calls));
  const { hold } = run;
  noteStep(run, 'think', answer.usage);
  run.emit({
    type: 'thought',
    threadId: hold.threadId,
    step: hold.state.current_step,
    calls: answer.calls.length,
    ...answer.usage,
  });
  return run.save();
}

function assertMayThink({ hold, limits }: RunContext): void {
  const { iterations = 0, attempt = 0 } = hold.state.run ?? {};
  const { threadId } = hold;
  if (iterations >= limits.maxIterations) {
    const message = `The run has thought ${iterations} times without an answer; max_iterations allows no more.`;
    throw new AgentStateError('max_iterations', message, { threadId });
  }
  if (attempt >= limits.maxAttempts) {
    const message = `The process has died ${attempt} times while the model was asked; it is not asked again.`;
    throw new AgentStateError('model', message, { threadId });
  }
}

interface UsableAnswer {
  readonly message: Message;
  readonly calls: readonly ToolCall[];
  readonly usage: Pick<ModelAnswer, 'usage'>;
}

/** An answer that can be stored; another is a model error, and asked for again like one. None where the run is paused. */
async function usableAnswer(run: RunContext, request: ModelRequest): Promise<UsableAnswer | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await unlessPaused(run, () => run.model.generate(request));
      return answer && toUsable(run, answer);
    } catch (error) {
      run.signal.throwIfAborted();
      const failure = modelError(run.hold.threadId, error);
      if (failure.retryable !== true || attempt === maxAnswers) throw failure;
    }
  }
}

/** Ends with the work or with the run, whichever is first; nothing comes of it where the run is paused. */
async function unlessPaused<T>({ signal, thinking }: RunContext, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await untilAborted(thinking, work);
  } catch (error) {
    signal.throwIfAborted();
    if (thinking.aborted) return undefined;
    throw error;
  }
}

function requestOf({ hold, tools, systemPrompt, view, thinking: signal, onText }: RunContext): ModelRequest {
  return {
    messages: modelView(hold.state.history, systemPrompt, view),
    tools: [...tools.values()].map(describeTool),
    signal,
    ...(onText ? { onText } : {}),
  };
}

function toUsable({ runtime, limits }: RunContext, answer: ModelAnswer): UsableAnswer {
  assertSaysSomething(answer);
  const calls = (answer.toolCalls ?? []).map((call) =>
    call.id === undefined || call.id === '' ? { ...call, id: `call_${runtime.id()}` } : call,
  );
  const usage = answer.usage ? { usage: answer.usage } : {};
  const metadata = { ...(calls.length > 0 ? { tool_calls: calls } : {}), ...usage };
  const bare = { role: 'assistant', content: answer.content ?? null };
  const message = toMessage(Object.keys(metadata).length > 0 ? { ...bare, metadata } : bare, 'answer');
  assertFits(message, 'the answer', limits.maxMessageBytes);
  return { message, calls: message.metadata?.tool_calls ?? [], usage };
}

/** What is neither an answer nor a call must not become a stored answer of nothing. */
function assertSaysSomething(answer: ModelAnswer): void {
  const content: unknown = answer?.content;
  if ((content !== undefined && content !== null) || (answer?.toolCalls ?? []).length > 0) return;
  throw new AgentStateError('model', 'The model gave neither content nor tool calls.', { retryable: true });
}

function plannedCalls({ hold, tools, asked }: RunContext, calls: readonly ToolCall[]): Promise<OpenCall[]> {
  const { threadId, state } = hold;
  return Promise.all(
    calls.map(async ({ id, function: { name, arguments: args } }, index): Promise<OpenCall> => {
      const tool = tools.get(name);
      const key = callKey(threadId, state.run?.id ?? '', state.current_step + 1, index, name, args);
      asked.add(key);
      return {
        id,
        tool: name,
        key,
        effect: tool?.effect ?? 'idempotent',
        status: 'planned',
        attempt: 0,
        ...((await needsApproval(tool, args)) ? { waits_for: 'approval' } : {}),
      };
    }),
  );
}

function modelError(threadId: string, error: unknown): AgentStateError {
  if (isAgentStateError(error, 'model')) return error;
  if (isAgentStateError(error) && unstorable.has(error.code)) {
    return new AgentStateError('model', `The model's answer cannot be stored: ${error.message}`, {
      threadId,
      retryable: true,
    });
  }
  return new AgentStateError('model', 'The model failed.', { threadId, cause: error });
}

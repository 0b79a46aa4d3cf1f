import type { ModelRequest } from '../../model/model.ts';
import { AgentStateError } from '../../protocol/errors.ts';
import type { OpenCall, ToolCall } from '../../state/schema.ts';
import { callKey } from '../record/call-key.ts';
import { thought } from '../record/transitions.ts';
import { describeTool } from '../tool.ts';
import { modelView } from '../view.ts';
import { modelError, toUsable, type UsableAnswer } from './answer.ts';
import { needsApproval } from './approval.ts';
import { advance, isInterrupted, noteStep, type RunContext } from './run-context.ts';
import { untilAborted } from './until-aborted.ts';

/** How often one Think asks the model again after an answer that could not be used. */
const maxAnswers = 3;

/** One Think: ask the model and save what it says (W1) before anything is done about it. */
export async function think(run: RunContext): Promise<void> {
  assertMayThink(run);
  const answer = await usableAnswer(run, requestOf(run));
  const calls = answer === paused ? paused : await unlessPaused(run, () => plannedCalls(run, answer.calls));
  run.signal.throwIfAborted();
  if (answer === paused || calls === paused || isInterrupted(run)) return;
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
  await run.save();
}

function assertMayThink({ hold, limits }: RunContext): void {
  const { iterations = 0, attempt = 0 } = hold.state.run ?? {};
  const { threadId } = hold;
  if (iterations >= limits.maxIterations) {
    const message = `The run has thought ${iterations} times without an answer; max_iterations allows no more.`;
    throw new AgentStateError('max_iterations', message, { threadId });
  }
  if (attempt >= limits.maxAttempts) {
    const why = `its process died, or was taken over, ${attempt} times while the model was asked`;
    const message = `The run is given up: ${why}; it is not asked again.`;
    throw new AgentStateError('max_attempts', message, { threadId });
  }
}

/** In place of what would have come of a run that was paused meanwhile. */
const paused = Symbol('paused');

/** An answer that can be stored; another is a model error, and asked for again like one. */
async function usableAnswer(run: RunContext, request: ModelRequest): Promise<UsableAnswer | typeof paused> {
  const { runtime, limits, signal, emit } = run;
  const { threadId } = run.hold;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer: unknown = await unlessPaused(run, () => run.model.generate(request));
      return answer === paused ? paused : toUsable(answer, () => runtime.id(), limits.maxMessageBytes);
    } catch (error) {
      signal.throwIfAborted();
      const failure = modelError(threadId, error);
      if (failure.retryable !== true || attempt === maxAnswers) throw failure;
      emit({ type: 'asked_again', threadId, attempt: attempt + 1 });
    }
  }
}

/** Ends with the work or with the run, whichever is first; nothing comes of it where the run is paused. */
async function unlessPaused<T>({ signal, thinking }: RunContext, work: () => Promise<T>): Promise<T | typeof paused> {
  try {
    return await untilAborted(thinking, work);
  } catch (error) {
    signal.throwIfAborted();
    if (thinking.aborted) return paused;
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

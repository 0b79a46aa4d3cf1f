import { isAgentStateError } from '../../protocol/errors.ts';
import type { Runtime } from '../../protocol/runtime.ts';
import { toVariables } from '../../state/encode.ts';
import { type JsonObject, type JsonValue, maxDepth, setOwn, toJson } from '../../state/json.ts';
import type { OpenCall, PauseRequest } from '../../state/schema.ts';
import { pauseRequest } from '../record/pause-request.ts';
import { failedResult, notDoneResult, resultOf } from '../record/results.ts';
import type { CallOutcome } from '../record/transitions.ts';
import { check, isStandardSchema } from '../standard-schema.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { untilAborted } from './until-aborted.ts';

export interface ToolCallRequest {
  readonly threadId: string;
  readonly call: OpenCall;
  /** The text that the model sent. */
  readonly args: string;
  readonly tool: Tool | undefined;
  readonly variables: JsonObject;
  readonly signal: AbortSignal;
  readonly maxMessageBytes: number;
  readonly runtime: Runtime;
}

/**
 * Runs one call to its outcome. Whatever the tool does is a result, never an exception; only an aborted run rejects,
 * with the signal's reason, and leaves the call without a result.
 */
export async function callTool(request: ToolCallRequest): Promise<CallOutcome> {
  const { call, signal } = request;
  try {
    return await attempted(request);
  } catch (error) {
    signal.throwIfAborted();
    return failedResult(call, messageOf(error));
  }
}

/** As `callTool`; nothing where the tool's time is over: it is still at work, and what it will have done is not known. */
export async function callToolInTime(request: ToolCallRequest): Promise<CallOutcome | undefined> {
  const { call, signal } = request;
  try {
    return await attempted(request);
  } catch (error) {
    signal.throwIfAborted();
    return isTimeOver(error) ? undefined : failedResult(call, messageOf(error));
  }
}

async function attempted(request: ToolCallRequest): Promise<CallOutcome> {
  const { call, tool, signal } = request;
  if (!tool) return failedResult(call, `There is no tool named ${call.tool}.`);
  return untilAborted(signal, () => outcomeOf(request, tool));
}

class TimeIsOver extends Error {}

async function outcomeOf(request: ToolCallRequest, tool: Tool): Promise<CallOutcome> {
  const { call, signal, maxMessageBytes } = request;
  const parsed = await parseArguments(tool, request.args);
  if ('fault' in parsed) return failedResult(call, parsed.fault);
  signal.throwIfAborted();
  const asked: Asked = { changes: {}, pause: undefined };
  const value = await execute(request, tool, parsed.value, asked);
  // A copy: what a tool that is still at work sets later is not of this result.
  const variables = Object.keys(asked.changes).length > 0 ? toVariables(asked.changes) : undefined;
  return { ...resultOf(call, value, variables, maxMessageBytes), pause: asked.pause };
}

/** What a tool asks for besides its result; dropped where the call fails. */
interface Asked {
  readonly changes: Record<string, JsonValue>;
  pause: PauseRequest | undefined;
}

/**
 * What a `once` tool knows of a call whose process died: its outcome, or nothing. Whatever goes wrong with asking means
 * that nothing is known.
 */
export async function reconcileCall(request: ToolCallRequest): Promise<CallOutcome | undefined> {
  const { call, tool, signal, threadId } = request;
  if (!tool?.reconcile) return undefined;
  try {
    const known = await untilAborted(signal, async () => {
      const parsed = await parseArguments(tool, request.args);
      if ('fault' in parsed) return undefined;
      return tool.reconcile?.(parsed.value, { threadId, idempotencyKey: call.key, signal });
    });
    if (known?.outcome === 'done') return resultOf(call, known.result, undefined, request.maxMessageBytes);
    return known?.outcome === 'not_done' ? notDoneResult(call) : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** The arguments as the tool gets them, or what is wrong with them. */
export async function parseArguments(tool: Tool, text: string): Promise<{ value: unknown } | { fault: string }> {
  let value: unknown;
  try {
    value = JSON.parse(text === '' ? '{}' : text);
  } catch {
    return { fault: 'The arguments are not JSON.' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { fault: 'The arguments are not a JSON object.' };
  }
  if (!isStandardSchema(tool.parameters)) return { value };
  const checked = await check(tool.parameters, value);
  return 'fault' in checked ? { fault: `The arguments were refused: ${checked.fault}` } : checked;
}

/** Ends with the tool, with its time, or with its run, whichever is first. */
function execute(request: ToolCallRequest, tool: Tool, args: unknown, asked: Asked): Promise<unknown> {
  const { timeoutMs } = tool;
  const timeout = new AbortController();
  const signal = AbortSignal.any([request.signal, timeout.signal]);
  const late = () => timeout.abort(new TimeIsOver(`The tool took longer than ${timeoutMs} ms.`));
  const cancel = timeoutMs === undefined ? () => {} : request.runtime.after(timeoutMs, late);
  return untilAborted(signal, () => tool.execute(args, contextOf(request, asked, signal))).finally(cancel);
}

function contextOf({ threadId, call, variables }: ToolCallRequest, asked: Asked, signal: AbortSignal): ToolContext {
  const { changes } = asked;
  return {
    pause: (request = {}) => {
      asked.pause = pauseRequest(request);
    },
    threadId,
    callId: call.id,
    idempotencyKey: call.key,
    attempt: call.attempt,
    signal,
    variables: {
      get: (key) =>
        Object.hasOwn(changes, key) ? changes[key] : Object.hasOwn(variables, key) ? variables[key] : undefined,
      // One level less than a value may have: it lies in the variables.
      set: (key, value) => setOwn(changes, key, toJson(value, `variables.${key}`, maxDepth - 1)),
    },
  };
}

function isTimeOver(error: unknown): boolean {
  return lookedAt(() => error instanceof TimeIsOver) ?? false;
}

function messageOf(error: unknown): string {
  const said = lookedAt(() =>
    isAgentStateError(error) || error instanceof Error ? error.message || error.name : error,
  );
  return typeof said === 'string' && said !== '' ? said : 'The tool failed.';
}

/** What was thrown may throw when it is looked at, as a getter or a proxy does. */
function lookedAt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

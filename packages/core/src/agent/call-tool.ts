import { isAgentStateError } from '../protocol/errors.ts';
import type { Runtime } from '../protocol/runtime.ts';
import { type JsonObject, type JsonValue, setOwn, toJson } from '../state/json.ts';
import type { OpenCall } from '../state/schema.ts';
import { failedResult, resultOf } from './results.ts';
import { check, isStandardSchema } from './standard-schema.ts';
import type { Tool, ToolContext } from './tool.ts';
import type { CallOutcome } from './transitions.ts';

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
  const { call, tool } = request;
  if (!tool) return failedResult(call, `There is no tool named ${call.tool}.`);
  const parsed = await parseArguments(tool, request.args);
  if ('fault' in parsed) return failedResult(call, parsed.fault);
  const changes: Record<string, JsonValue> = {};
  try {
    const value = await execute(request, tool, parsed.value, changes);
    return resultOf(call, value, Object.keys(changes).length > 0 ? changes : undefined, request.maxMessageBytes);
  } catch (error) {
    request.signal.throwIfAborted();
    return failedResult(call, messageOf(error));
  }
}

async function parseArguments(tool: Tool, text: string): Promise<{ value: unknown } | { fault: string }> {
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
function execute(
  { threadId, call, variables, signal, runtime }: ToolCallRequest,
  tool: Tool,
  args: unknown,
  changes: Record<string, JsonValue>,
): Promise<unknown> {
  const timeout = new AbortController();
  const context: ToolContext = {
    threadId,
    callId: call.id,
    idempotencyKey: call.key,
    attempt: call.attempt,
    signal: AbortSignal.any([signal, timeout.signal]),
    variables: {
      get: (key) =>
        Object.hasOwn(changes, key) ? changes[key] : Object.hasOwn(variables, key) ? variables[key] : undefined,
      set: (key, value) => setOwn(changes, key, toJson(value, `variables.${key}`)),
    },
  };
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    if (signal.aborted) return aborted();
    signal.addEventListener('abort', aborted, { once: true });
    const cancel =
      tool.timeoutMs === undefined
        ? () => {}
        : runtime.after(tool.timeoutMs, () => {
            reject(new Error(`The tool took longer than ${tool.timeoutMs} ms.`));
            timeout.abort();
          });
    Promise.resolve()
      .then(() => tool.execute(args, context))
      .then(resolve, reject)
      .finally(() => {
        cancel();
        signal.removeEventListener('abort', aborted);
      });
  });
}

function messageOf(error: unknown): string {
  if (isAgentStateError(error)) return error.message;
  if (error instanceof Error) return error.message === '' ? error.name : error.message;
  return typeof error === 'string' ? error : 'The tool failed.';
}

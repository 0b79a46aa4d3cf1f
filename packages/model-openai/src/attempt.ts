import { isAgentStateError, type ModelAnswer, type ModelRequest } from '@agent-state/core';
import { answerOf, completionOf } from './answer.ts';
import { retryAfterMs } from './backoff.ts';
import { parseJson, textIn, wholeText } from './body.ts';
import { eventsIn } from './events.ts';
import { brokenConnection, refusedRequest, wrongAnswer } from './failures.ts';
import { type Limit, startLimit } from './limit.ts';
import type { Settings } from './options.ts';
import { reasonIn } from './reason.ts';
import { bodyOf } from './request.ts';
import { collect } from './stream.ts';

/** One request and its answer, within the time it has. Throws the caller's reason when that aborts. */
export async function attempt(settings: Settings, request: ModelRequest): Promise<ModelAnswer> {
  const limit = startLimit(settings.runtime, request.signal, settings.timeoutMs, settings.idleTimeoutMs);
  try {
    const response = await send(settings, request, limit);
    if (!response.ok) throw await refusalOf(response, limit, settings.runtime.now());
    return await answerIn(response, limit, request.onText);
  } finally {
    limit.end();
  }
}

async function send(settings: Settings, request: ModelRequest, limit: Limit): Promise<Response> {
  const body = JSON.stringify(bodyOf(settings, request));
  const { url, headers, fetch } = settings;
  try {
    // A redirect is not followed: the key is for this server.
    const init = { method: 'POST', headers, body, signal: limit.signal, redirect: 'manual' } as const;
    return await limit.within(fetch(url, init));
  } catch (error) {
    if (limit.signal.aborted) throw limit.signal.reason;
    throw brokenConnection(error);
  }
}

async function answerIn(response: Response, limit: Limit, onText: ModelRequest['onText']): Promise<ModelAnswer> {
  const streams = (response.headers.get('content-type') ?? '').includes('text/event-stream');
  if (streams) {
    const { choice, usage } = await collect(eventsIn(textIn(response, limit)), onText ?? (() => {}));
    return answerOf(choice, usage);
  }
  // A server that does not stream answers with the whole.
  const { choice, usage } = completionOf(parseJson(await wholeText(response, limit)));
  const answer = answerOf(choice, usage);
  if (typeof answer.content === 'string' && answer.content !== '') onText?.(answer.content);
  return answer;
}

async function refusalOf(response: Response, limit: Limit, now: number): Promise<Error> {
  const afterMs = retryAfterMs(response.headers, now);
  if (response.status < 400) return wrongAnswer('is a redirect');
  return refusedRequest(response.status, await reasonOf(response, limit), afterMs);
}

/** The status decides; a body that cannot be read (an HTML page, say) only has no reason to add. */
async function reasonOf(response: Response, limit: Limit): Promise<string | undefined> {
  try {
    return reasonIn(parseJson(await wholeText(response, limit)));
  } catch (error) {
    if (limit.signal.aborted || !isAgentStateError(error, 'model')) throw error;
    return undefined;
  }
}

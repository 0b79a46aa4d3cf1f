import { type Model, type ModelAnswer, type ModelRequest, sleep } from '@agent-state/core';
import { attempt } from './attempt.ts';
import { pauseBefore } from './backoff.ts';
import { againOf, finalOf } from './failures.ts';
import { type OpenAiModelOptions, type Settings, settingsOf } from './options.ts';

/**
 * A model behind an OpenAI-compatible chat-completions API. It makes a request again after 408, 429, 5xx and broken
 * connections, but never once it has handed out text. Throws `configuration` where an option does not fit.
 */
export function createOpenAiModel(options: OpenAiModelOptions): Model {
  const settings = settingsOf(options);
  return Object.freeze<Model>({
    name: settings.model,
    generate: (request) => generate(settings, request),
  });
}

async function generate(settings: Settings, request: ModelRequest): Promise<ModelAnswer> {
  const { runtime, maxRetries } = settings;
  const { signal, onText } = request;
  let streamed = false;
  const watched: ModelRequest = onText
    ? {
        ...request,
        onText(text) {
          streamed = true;
          onText(text);
        },
      }
    : request;
  for (let retry = 0; ; retry += 1) {
    signal.throwIfAborted();
    try {
      return await attempt(settings, watched);
    } catch (error) {
      const pause = pauseBefore(retry, againOf(error), runtime.random());
      if (pause === undefined || retry >= maxRetries || streamed || signal.aborted) throw finalOf(error, retry);
      await sleep(runtime, pause, signal);
    }
  }
}

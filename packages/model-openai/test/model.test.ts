import { isAgentStateError, type ModelRequest } from '@agent-state/core';
import { expect, it } from 'vitest';
import { createOpenAiModel } from '../src/model.ts';
import type { OpenAiModelOptions } from '../src/options.ts';
import { closedUrl, cut, delta, events, json, message, raw, startChatServer, type Turn, usage } from './chat-server.ts';
import { testRuntime, timeouts } from './runtime.ts';

const secret = 'sk-very-secret';
const content = 'content-of-a-person';

async function setUp(turns: Turn[], options: Partial<OpenAiModelOptions> = {}) {
  const { baseUrl, requests } = await startChatServer(...turns);
  const time = testRuntime();
  const model = createOpenAiModel({
    model: 'm',
    baseUrl,
    apiKey: secret,
    ...timeouts,
    runtime: time.runtime,
    ...options,
  });
  return { model, requests, ...time };
}

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: 'user', content }],
  tools: [],
  signal: new AbortController().signal,
  ...more,
});

/** Everything that can be seen of an error. */
const shown = (error: unknown): string => {
  const { message, stack, cause, ...fields } = error as Error & { cause?: unknown };
  const nested = cause === undefined ? '' : shown(cause);
  return [String(error), message, stack, JSON.stringify(fields), nested].join('\n');
};

async function errorOf(call: Promise<unknown>) {
  const error = await call.then(() => undefined).catch((caught: unknown) => caught);
  expect(error).toBeDefined();
  for (const hidden of [secret, content, 'said-by-the-server']) expect(shown(error)).not.toContain(hidden);
  return error;
}

it('asks with key, organization and headers, and gives text and usage', async () => {
  const { model, requests, pending } = await setUp([json(message('hello'))], {
    organizationId: 'org',
    headers: { 'X-Extra': 'yes' },
    parameters: { temperature: 0 },
  });
  const answer = await model.generate(request());
  expect(answer).toEqual({ content: 'hello', usage: { input_tokens: 7, output_tokens: 3 } });
  expect(requests).toMatchObject([
    {
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${secret}`, 'openai-organization': 'org', 'x-extra': 'yes' },
      body: { model: 'm', temperature: 0, messages: [{ role: 'user', content }] },
    },
  ]);
  expect(pending()).toBe(0);
});

it('asks a local server without a key', async () => {
  const { baseUrl, requests } = await startChatServer(json(message('hello')));
  await createOpenAiModel({ model: 'm', baseUrl }).generate(request());
  expect(requests[0]?.headers.authorization).toBeUndefined();
});

it('gives tool calls, their arguments as the text that came', async () => {
  const call = (id: string | undefined, args?: string) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: args },
  });
  const tool_calls = [call('a', '{ "x" : 1 }'), call('b', '{broken'), call(undefined, '')];
  const { model } = await setUp([json(message(null, 'tool_calls', { tool_calls }))]);
  const answer = await model.generate(request());
  expect(answer).toMatchObject({
    content: null,
    toolCalls: [
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{ "x" : 1 }' } },
      { id: 'b', function: { arguments: '{broken' } },
      { id: '', function: { arguments: '{}' } },
    ],
  });
});

it('streams text as it comes, and gives the whole with its usage', async () => {
  const pieces = [delta({ role: 'assistant', content: '' }), delta({ content: 'Grü' }), delta({ content: 'ße 😀' })];
  const { model, requests } = await setUp([events(...pieces, delta({}, 'stop'), usage, '[DONE]')]);
  const texts: string[] = [];
  const answer = await model.generate(request({ onText: (text) => texts.push(text) }));
  expect(texts).toEqual(['Grü', 'ße 😀']);
  expect(answer).toEqual({ content: 'Grüße 😀', usage: { input_tokens: 7, output_tokens: 3 } });
  expect(requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

it('reads a stream that is cut inside a character', async () => {
  const { model } = await setUp([
    async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const bytes = Buffer.from(`data: ${JSON.stringify(delta({ content: '😀' }, 'stop'))}\n\n`);
      for (const byte of bytes) {
        await new Promise<void>((resolve) => void response.write(Buffer.of(byte), () => resolve()));
      }
      response.end();
    },
  ]);
  expect(await model.generate(request({ onText() {} }))).toMatchObject({ content: '😀' });
});

it('joins the pieces of streamed calls by their index', async () => {
  const piece = (index: number, args: string, start: object = {}) =>
    delta({
      tool_calls: [{ index, ...start, function: { ...(start as { function?: object }).function, arguments: args } }],
    });
  const { model } = await setUp([
    events(
      piece(1, '{"b"', { id: 'second', type: 'function', function: { name: 'g' } }),
      piece(0, '{"a"', { id: 'first', type: 'function', function: { name: 'f' } }),
      piece(1, ':2}'),
      piece(0, ':1}'),
      delta({}, 'tool_calls'),
      '[DONE]',
    ),
  ]);
  const answer = await model.generate(request({ onText() {} }));
  expect(answer).toEqual({
    content: null,
    toolCalls: [
      { id: 'first', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
      { id: 'second', type: 'function', function: { name: 'g', arguments: '{"b":2}' } },
    ],
  });
});

it('tells streamed calls apart by their id where the server sends no index', async () => {
  const call = (id: string) => delta({ tool_calls: [{ id, function: { name: 'f', arguments: '{}' } }] });
  const { model } = await setUp([events(call('a'), call('b'), delta({}, 'tool_calls'))]);
  const { toolCalls } = await model.generate(request({ onText() {} }));
  expect(toolCalls?.map(({ id }) => id)).toEqual(['a', 'b']);
});

it('hands out the whole at once where the server does not stream', async () => {
  const { model } = await setUp([json(message('hello'))]);
  const texts: string[] = [];
  expect(await model.generate(request({ onText: (text) => texts.push(text) }))).toMatchObject({ content: 'hello' });
  expect(texts).toEqual(['hello']);
});

it.each([[408], [429], [500], [502], [503], [529]])('asks again after %i, with growing pauses', async (status) => {
  const { model, requests, pauses } = await setUp([json({}, status), json({}, status), json(message('hello'))]);
  expect(await model.generate(request())).toMatchObject({ content: 'hello' });
  expect(requests).toHaveLength(3);
  expect(pauses).toEqual([500, 1_000]);
});

it('waits as long as the server asks', async () => {
  const { model, pauses } = await setUp([json({}, 429, { 'retry-after': '7' }), json(message('hello'))]);
  await model.generate(request());
  expect(pauses).toEqual([7_000]);
});

it('does not wait where the server asks for more than a minute: the caller is told', async () => {
  const { model, requests } = await setUp([json({}, 429, { 'retry-after': '3600' })]);
  expect(await errorOf(model.generate(request()))).toMatchObject({ code: 'model', retryable: true });
  expect(requests).toHaveLength(1);
});

it('gives up after as many retries as it is allowed', async () => {
  const { model, requests } = await setUp([json({}, 500)], { maxRetries: 1 });
  const error = await errorOf(model.generate(request()));
  expect(error).toMatchObject({ code: 'model', message: 'The model server answered 500, 2 times.' });
  expect(requests).toHaveLength(2);
});

it('asks again after a connection that broke before any text', async () => {
  const { model, requests } = await setUp([(response) => void response.destroy(), json(message('hello'))]);
  expect(await model.generate(request())).toMatchObject({ content: 'hello' });
  expect(requests).toHaveLength(2);
});

it('never asks again once it has handed out text', async () => {
  const { model, requests } = await setUp([cut(`data: ${JSON.stringify(delta({ content: 'half ' }))}\n\n`)]);
  const texts: string[] = [];
  const error = await errorOf(model.generate(request({ onText: (text) => texts.push(text) })));
  expect(error).toMatchObject({ code: 'model', retryable: true });
  expect(texts).toEqual(['half ']);
  expect(requests).toHaveLength(1);
});

it.each([
  [400, { error: { code: 'context_length_exceeded', message: `said-by-the-server ${content}` } }],
  [401, { error: { code: 'invalid_api_key', message: `Incorrect API key provided: ${secret}` } }],
  [403, {}],
  [404, { error: { type: 'invalid_request_error', message: 'said-by-the-server' } }],
  [429, { error: { code: 'insufficient_quota' } }],
])('does not ask again after %i %o, and shows no more than the code', async (status, body) => {
  const { model, requests } = await setUp([json(body, status)]);
  const error = await errorOf(model.generate(request()));
  expect(error).toMatchObject({ code: 'model', retryable: false });
  expect((error as Error).message).toContain(`${status}`);
  expect(requests).toHaveLength(1);
});

it.each<[string, Turn]>([
  ['an empty body', raw('')],
  ['text that is not JSON', raw('said-by-the-server')],
  ['half of a JSON text', raw('{"choices":[{"message":{"content":"said-by-the-server')],
  ['an HTML page', raw('<html>said-by-the-server</html>', 'text/html')],
  ['bytes that are not UTF-8', raw(Buffer.from([0x22, 0xff, 0xfe, 0x22]))],
  ['null', json(null)],
  ['a list', json([])],
  ['no choices', json({})],
  ['an empty list of choices', json({ choices: [] })],
  ['choices that are no list', json({ choices: 'said-by-the-server' })],
  ['a choice without a message', json({ choices: [{}] })],
  ['content that is a number', json(message(5))],
  ['neither text nor calls', json(message(null))],
  ['calls that are no list', json(message(null, 'tool_calls', { tool_calls: 'said-by-the-server' }))],
  ['a call that is no object', json(message(null, 'tool_calls', { tool_calls: [1] }))],
  ['a call without a name', json(message(null, 'tool_calls', { tool_calls: [{ function: { arguments: '{}' } }] }))],
  [
    'arguments that are an object',
    json(
      message(null, 'tool_calls', {
        tool_calls: [{ function: { name: 'f', arguments: { a: 'said-by-the-server' } } }],
      }),
    ),
  ],
  [
    'arguments that are cut off by the length',
    json(
      message(null, 'length', {
        tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{"a":"said-by-the-ser' } }],
      }),
    ),
  ],
  ['a stream that ends early', events(delta({ role: 'assistant' }))],
  ['a stream of nothing', events()],
  ['a stream that ends before it began', events('[DONE]')],
  ['a stream of text', events('said-by-the-server')],
  ['a piece that is no object', events('5')],
  ['a piece with content that is no text', events(delta({ content: { a: 'said-by-the-server' } }))],
  [
    'streamed arguments that are cut off by the length',
    events(
      delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"a' } }] }),
      delta({}, 'length'),
    ),
  ],
  ['a redirect', (response) => void response.writeHead(307, { location: 'http://said-by-the-server/' }).end()],
])('calls %s a model error that may be retried, and asks no second time itself', async (_what, turn) => {
  for (const onText of [undefined, () => {}]) {
    const { model, requests } = await setUp([turn]);
    const error = await errorOf(model.generate(request(onText ? { onText } : {})));
    expect(error).toMatchObject({ code: 'model', retryable: true });
    expect(requests).toHaveLength(1);
  }
});

it('takes an HTML page with status 502 for a server that is down', async () => {
  const { model, requests } = await setUp([raw('<html>said-by-the-server</html>', 'text/html', 502)]);
  expect(await errorOf(model.generate(request()))).toMatchObject({ code: 'model' });
  expect(requests).toHaveLength(3);
});

it('calls an error inside a stream what it is', async () => {
  const { model } = await setUp([
    events({ error: { code: 'server_error', message: 'said-by-the-server' } }),
    events(delta({ content: 'hello' }, 'stop')),
  ]);
  expect(await model.generate(request({ onText() {} }))).toMatchObject({ content: 'hello' });
});

it('does not ask again where the content filter stopped the answer', async () => {
  const { model } = await setUp([json(message('half', 'content_filter'))]);
  expect(await errorOf(model.generate(request()))).toMatchObject({ code: 'model', retryable: false });
});

it('takes a refusal for the answer that it is', async () => {
  const { model } = await setUp([json(message(null, 'stop', { refusal: 'I will not.' }))]);
  expect(await model.generate(request())).toMatchObject({ content: 'I will not.' });
});

it('keeps a text that the length cut off, and leaves usage out where it makes no sense', async () => {
  const { model } = await setUp([json({ ...message('half', 'length'), usage: { prompt_tokens: 1.5 } })]);
  expect(await model.generate(request())).toEqual({ content: 'half' });
});

it('is a model error where nothing listens, which the agent does not multiply the tries of', async () => {
  const { model } = await setUp([], { baseUrl: await closedUrl() });
  const error = await errorOf(model.generate(request()));
  expect(error).toMatchObject({ code: 'model', retryable: false, cause: { code: 'ECONNREFUSED' } });
});

it('shows nothing of what a fetch of the user throws', async () => {
  const fetch = async () => {
    throw Object.assign(new Error(`said-by-the-server ${secret}`), { config: { headers: { authorization: secret } } });
  };
  const { model } = await setUp([], { fetch });
  const error = await errorOf(model.generate(request()));
  expect(error).toMatchObject({ code: 'model' });
});

it('gives up after its time, whether the server answers nothing or without end', async () => {
  let arrived = () => {};
  const silent: Turn = () => arrived();
  const halting: Turn = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': ping\n\n', () => arrived());
  };
  for (const turn of [silent, halting]) {
    const { model, expire, requests, pending } = await setUp([turn]);
    const waiting = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const error = errorOf(model.generate(request({ onText() {} })));
    await waiting;
    expire(timeouts.timeoutMs);
    expect(await error).toMatchObject({ code: 'model', retryable: true });
    expect(requests).toHaveLength(1);
    expect(pending()).toBe(0);
  }
});

it('gives up where a stream falls silent', async () => {
  const { model, expire } = await setUp([
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(delta({ content: 'half' }))}\n\n`);
    },
  ]);
  const error = await errorOf(model.generate(request({ onText: () => setImmediate(expire, timeouts.idleTimeoutMs) })));
  expect(error).toMatchObject({ code: 'model', retryable: true });
  expect((error as Error).message).toContain('22222');
});

it('gives up with a fetch that does not heed its signal', async () => {
  const { model, expire } = await setUp([], { fetch: () => new Promise(() => {}) });
  const error = errorOf(model.generate(request()));
  expire(timeouts.timeoutMs);
  expect(await error).toMatchObject({ code: 'model', retryable: true });
});

it.each<[string, Turn]>([
  ['while it waits for the answer', () => {}],
  [
    'in the middle of a stream',
    (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n'),
  ],
])('throws the reason when it is aborted %s', async (_what, turn) => {
  const controller = new AbortController();
  const reason = new Error('stopped');
  const { model, requests, pending } = await setUp([
    async (response) => {
      await turn(response);
      setTimeout(() => controller.abort(reason), 5);
    },
  ]);
  const call = model.generate(request({ signal: controller.signal, onText() {} }));
  await expect(call).rejects.toBe(reason);
  expect(requests.length).toBeLessThan(4);
  expect(pending()).toBe(0);
});

it('throws the reason when it is aborted while it waits to ask again', async () => {
  const controller = new AbortController();
  const reason = new Error('stopped');
  const { runtime } = testRuntime();
  const endless: typeof runtime = {
    ...runtime,
    after(ms, run) {
      if (Object.values<number>(timeouts).includes(ms)) return runtime.after(ms, run);
      setImmediate(() => controller.abort(reason));
      return () => {};
    },
  };
  const { model, requests } = await setUp([json({}, 500)], { runtime: endless });
  await expect(model.generate(request({ signal: controller.signal }))).rejects.toBe(reason);
  expect(requests).toHaveLength(1);
});

it('makes no request where it is aborted already', async () => {
  const { model, requests } = await setUp([json(message('hello'))]);
  const reason = new Error('stopped');
  await expect(model.generate(request({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  expect(requests).toHaveLength(0);
});

it('passes on what the receiver of the text throws, as it is', async () => {
  const { model, requests } = await setUp([events(delta({ content: 'hello' }, 'stop'))]);
  const fault = new Error('mine');
  const onText = () => {
    throw fault;
  };
  await expect(model.generate(request({ onText }))).rejects.toBe(fault);
  expect(isAgentStateError(fault)).toBe(false);
  expect(requests).toHaveLength(1);
});

import {
  AgentStateError,
  assertKnown,
  type JsonObject,
  type KnownOptions,
  type Runtime,
  systemRuntime,
} from '@agent-state/core';

export interface OpenAiModelOptions {
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** Where the API is, without `/chat/completions`. Default `https://api.openai.com/v1`, which needs an `apiKey`. */
  readonly baseUrl?: string | undefined;
  /** Sent as bearer token; never shown. */
  readonly apiKey?: string | undefined;
  readonly organizationId?: string | undefined;
  /** How long one attempt may take, the answer included, in milliseconds. Default 120,000. */
  readonly timeoutMs?: number;
  /** How long a stream may be silent between two pieces, in milliseconds. Default 30,000. */
  readonly idleTimeoutMs?: number;
  /** How often a failed request is made again. Default 2. */
  readonly maxRetries?: number;
  /** Sent with every request as they are: `temperature`, `max_completion_tokens`, `seed` … */
  readonly parameters?: JsonObject;
  /** Further headers; never shown. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Where time and chance come from. Default: the system's. */
  readonly runtime?: Runtime;
}

const known: KnownOptions<OpenAiModelOptions> = {
  model: true,
  baseUrl: true,
  apiKey: true,
  organizationId: true,
  timeoutMs: true,
  idleTimeoutMs: true,
  maxRetries: true,
  parameters: true,
  headers: true,
  fetch: true,
  runtime: true,
};

/** Options, checked and complete. */
export interface Settings {
  readonly model: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxRetries: number;
  readonly parameters: JsonObject;
  readonly fetch: typeof globalThis.fetch;
  readonly runtime: Runtime;
}

/** Throws `configuration` with the option's name; what was given is not shown. */
export function settingsOf(options: OpenAiModelOptions): Settings {
  assertKnown(options, known);
  const { model, baseUrl, apiKey, timeoutMs = 120_000, idleTimeoutMs = 30_000, maxRetries = 2 } = options;
  if (typeof model !== 'string' || model === '') throw misconfigured('model', 'has to be the name of a model');
  if (baseUrl === undefined && apiKey === undefined) throw misconfigured('apiKey', 'is needed for OpenAI itself');
  assertCount('timeoutMs', timeoutMs, 1);
  assertCount('idleTimeoutMs', idleTimeoutMs, 1);
  assertCount('maxRetries', maxRetries, 0);
  return {
    model,
    url: endpointOf(baseUrl ?? 'https://api.openai.com/v1'),
    headers: headersOf(options),
    timeoutMs,
    idleTimeoutMs,
    maxRetries,
    parameters: options.parameters ?? {},
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    runtime: options.runtime ?? systemRuntime,
  };
}

export function misconfigured(path: string, what: string): AgentStateError {
  return new AgentStateError('configuration', `${path} ${what}.`, { path });
}

function endpointOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw misconfigured('baseUrl', 'has to be an http or https URL');
  }
  if (url.username !== '' || url.password !== '') throw misconfigured('baseUrl', 'must not hold a user or password');
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  return url.href;
}

function headersOf({ apiKey, organizationId, headers = {} }: OpenAiModelOptions): Record<string, string> {
  const all: Record<string, string> = { 'content-type': 'application/json' };
  if (apiKey !== undefined) all.authorization = `Bearer ${checkedValue('apiKey', apiKey)}`;
  if (organizationId !== undefined) {
    all['openai-organization'] = checkedValue('organizationId', organizationId);
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw misconfigured('headers', 'has a name that is not one of a header');
    all[name.toLowerCase()] = checkedValue(`headers.${name}`, value);
  }
  return all;
}

/** Checked here because fetch would show the value in its error. */
function checkedValue(path: string, value: unknown): string {
  if (typeof value === 'string' && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return value;
  throw misconfigured(path, 'has to be a string of printable ASCII characters, without space around it');
}

function assertCount(path: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw misconfigured(path, `has to be a whole number from ${least} on`);
}

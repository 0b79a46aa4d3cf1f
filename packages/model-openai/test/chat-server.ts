import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** What the server does with one request. */
export type Turn = (response: ServerResponse) => void | Promise<void>;

export interface ReceivedRequest {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

/** A server of this test's own that answers the first request with the first turn, and so on; the last one repeats. */
export async function startChatServer(...turns: Turn[]) {
  const requests: ReceivedRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    requests.push({ path: request.url, headers: request.headers, body });
    await (turns[requests.length - 1] ?? turns.at(-1))?.(response);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

/** Where nothing listens. */
export async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/v1`;
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Turn {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
}

export function raw(body: string | Buffer, contentType = 'application/json', status = 200): Turn {
  return (response) => {
    response.writeHead(status, { 'content-type': contentType }).end(body);
  };
}

/** Events as a stream, each in a packet of its own. */
export function events(...data: unknown[]): Turn {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const event of data) response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
    response.end();
  };
}

/** The connection breaks, after these pieces. */
export function cut(...pieces: string[]): Turn {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) await new Promise<void>((resolve) => void response.write(piece, () => resolve()));
    response.flushHeaders();
    response.destroy();
  };
}

export const message = (content: unknown, finish_reason = 'stop', more: object = {}) => ({
  choices: [{ index: 0, message: { role: 'assistant', content, ...more }, finish_reason }],
  usage: { prompt_tokens: 7, completion_tokens: 3 },
});

export const delta = (part: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: part, finish_reason }],
});

export const usage = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } };

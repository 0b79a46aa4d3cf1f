import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAgentFactory, defineTool, type Model } from '@agent-state/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runExample } from './run-example.ts';
import { call } from './script.ts';

describe('the model of the README of the core', () => {
  const modelOn = async (answer: () => { status?: number; body?: object }) => {
    const asked: { messages: object[]; tools: object[] }[] = [];
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += chunk));
      request.on('end', () => {
        asked.push(JSON.parse(text));
        const { status = 200, body = {} } = answer();
        response.writeHead(status).end(JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { createMyModel } = await runExample('packages/core/README.md', '## A model of your own', {});
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { asked, model: (createMyModel as (url: string) => Model)(url) };
  };
  const agentOf = (model: Model) => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      parameters: { type: 'object' },
      execute: () => 'seen',
    });
    const profiles = { bot: { name: 'bot', tools: ['look'] } };
    const models = { main: model };
    return createAgentFactory({
      profiles,
      defaultProfile: 'bot',
      models,
      defaultModel: 'main',
      tools: [look],
    }).create();
  };

  test('asks for a tool, is shown its result, and streams its answer', async () => {
    const bodies = [{ calls: [call('look', {})] }, { text: 'I saw it.' }];
    const { asked, model } = await modelOn(() => ({ body: bodies.shift() ?? {} }));
    const texts: string[] = [];
    for await (const event of agentOf(model).stream('Look.')) if (event.type === 'text') texts.push(event.text);
    expect(texts).toEqual(['I saw it.']);
    expect(asked[1]?.messages).toMatchObject([
      { role: 'user', content: 'Look.' },
      { role: 'assistant', metadata: { tool_calls: [{ function: { name: 'look', arguments: '{}' } }] } },
      { role: 'tool', content: 'seen', metadata: { tool_call_id: 'call-look' } },
    ]);
    expect(asked[0]?.tools).toEqual([{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }]);
  });

  test('is asked three times while its server is overloaded, and once where it refuses', async () => {
    for (const [status, times] of [
      [503, 3],
      [400, 1],
    ] as const) {
      const { asked, model } = await modelOn(() => ({ status }));
      await expect(agentOf(model).run('Look.')).rejects.toMatchObject({ code: 'model' });
      expect(asked).toHaveLength(times);
    }
  });
});

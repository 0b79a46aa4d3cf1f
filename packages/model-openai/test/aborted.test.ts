import { createAgentFactory } from '@agent-state/core';
import { expect, it } from 'vitest';
import { createOpenAiModel } from '../src/index.ts';
import { delta, json, message, startChatServer, type Turn } from './chat-server.ts';

/** A stream that goes no further after these events; `then` happens when they have been sent. */
function unfinished(then: () => void, ...data: readonly unknown[]): Turn {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(data.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), () => setTimeout(then, 5));
  };
}

const call = { index: 0, id: 'c1', function: { name: 'look_up', arguments: '{"order": 12' } };

it.each([
  ['in the middle of the arguments of a call', delta({ role: 'assistant', content: null, tool_calls: [call] })],
  ['in the middle of a text', delta({ role: 'assistant', content: 'It is on' })],
])(
  '[S-RES-06] an answer that is aborted %s is in no history: the next turn begins where this one did',
  async (_, half) => {
    const aborter = new AbortController();
    const { baseUrl, requests } = await startChatServer(
      unfinished(() => aborter.abort(), half),
      json(message('Shipped.')),
    );
    const model = createOpenAiModel({ baseUrl, model: 'm', apiKey: 'k' });
    const factory = createAgentFactory({
      profiles: { bot: { name: 'bot' } },
      defaultProfile: 'bot',
      models: { model },
      defaultModel: 'model',
    });
    const agent = factory.create({});
    const streamed: string[] = [];
    const stream = async () => {
      for await (const { type } of agent.stream('Where is it?', { signal: aborter.signal })) streamed.push(type);
    };
    await expect(stream()).rejects.toMatchObject({ code: 'aborted' });
    expect(await agent.run('Well?')).toMatchObject({ answer: 'Shipped.' });
    expect(requests[1]?.body.messages).toEqual([
      { role: 'user', content: 'Where is it?' },
      { role: 'user', content: 'Well?' },
    ]);
  },
);

import { randomUUID } from 'node:crypto';
import { createThreads, type JsonObject, type ToolCall } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { says, startProcess, tool } from '../agent.ts';
import { opened, stores } from '../stores.ts';

/** By the parser, so that `__proto__` is a key like any other. */
const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"prototype":{"polluted":3}}';
const hostile = (): JsonObject => JSON.parse(text) as JsonObject;

/** As text, for an own key named `__proto__` is easily missed by a comparison. */
const shown = (value: unknown): string => JSON.stringify(value);

describe.each(stores)('on %s', (_name, openStore) => {
  const open = () => opened(openStore);

  it('[D6] keys that reach prototypes come back from arguments, results, variables, inputs and extensions', async () => {
    const threadId = randomUUID();
    const seen: string[] = [];
    const call = { id: '__proto__', type: 'function', function: { name: 'take', arguments: text }, ...hostile() };
    const take = tool('take', (args, { variables }) => {
      seen.push(shown(args));
      for (const key of ['__proto__', 'constructor', 'prototype']) {
        expect(variables.get(key)).toBeUndefined();
        variables.set(key, hostile());
        expect(shown(variables.get(key))).toBe(text);
      }
      return hostile();
    });
    const turns = [{ content: null, toolCalls: [call as ToolCall] }, says('Done.')];
    const first = startProcess(open(), turns, [take]);
    await first.agent(threadId).run([{ type: 'data', data: hostile() }]);

    const state = await createThreads(open()).get(threadId);
    const [, input, asked, result] = state?.history ?? [];
    expect(seen).toEqual([text]);
    expect(shown(input?.content)).toBe(`[{"type":"data","data":${text}}]`);
    expect(asked?.metadata?.tool_calls?.[0]?.id).toBe('__proto__');
    expect(asked?.metadata?.tool_calls?.[0]?.function.arguments).toBe(text);
    expect(shown(asked?.metadata?.tool_calls?.[0])).toContain(text.slice(1, -1));
    expect(result).toMatchObject({ content: text, metadata: { tool_call_id: '__proto__' } });
    expect(shown(state?.variables)).toBe(`{"__proto__":${text},"constructor":${text},"prototype":${text}}`);
    expectUnpolluted();
  });

  it('[D6] keys that reach prototypes come back from unknown fields of the state, also after an agent went on', async () => {
    const threadId = randomUUID();
    const checkpointer = open();
    const message = { role: 'user' as const, content: 'hi', metadata: { ext: hostile() }, ...hostile() };
    await checkpointer.save(threadId, {
      state: Object.assign(JSON.parse(`{"ext":${text},${text.slice(1, -1)}}`), { history: [message] }),
    });
    await startProcess(open(), [says('Done.')])
      .agent(threadId)
      .run('Go');
    const state = await createThreads(open()).get(threadId);
    expect(shown((state as unknown as { ext: unknown }).ext)).toBe(text);
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      expect(shown(Object.getOwnPropertyDescriptor(state, key)?.value)).toBe(shown(hostile()[key]));
    }
    expect(shown(state?.history[0])).toContain(`"metadata":{"ext":${text}}`);
    expect(state?.history.at(-1)?.content).toBe('Done.');
    expectUnpolluted();
  });
});

function expectUnpolluted(): void {
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect((Object as unknown as { polluted?: unknown }).polluted).toBeUndefined();
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
}

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { AgentStateError } from '../../protocol/errors.ts';
import { sleep } from '../../protocol/runtime.ts';
import { maxDepth } from '../../state/json.ts';
import { openCall } from '../../testing/samples.ts';
import { createVirtualRuntime } from '../../testing/virtual-runtime.ts';
import { defineTool, type Tool, type ToolContext } from '../tool.ts';
import { callTool, callToolInTime, type ToolCallRequest } from './call-tool.ts';

const tool = (execute: Tool['execute'], more: Partial<Tool> = {}): Tool =>
  defineTool({ name: 'look_up', description: '', parameters: { type: 'object' }, execute, ...more });

const requestOf = (execute: Tool['execute'] | undefined, more: Partial<ToolCallRequest> = {}): ToolCallRequest => ({
  threadId: 't',
  call: openCall('c1', { attempt: 1 }),
  args: '{}',
  tool: execute && tool(execute),
  variables: {},
  signal: new AbortController().signal,
  maxMessageBytes: 10_000,
  runtime: createVirtualRuntime(),
  ...more,
});

function request(execute: Tool['execute'] | undefined, more: Partial<ToolCallRequest> & { tool?: Tool } = {}) {
  const runtime = createVirtualRuntime();
  const aborter = new AbortController();
  return { runtime, aborter, outcome: callTool(requestOf(execute, { signal: aborter.signal, runtime, ...more })) };
}

const call = (execute: Tool['execute'], more: Parameters<typeof request>[1] = {}) => request(execute, more).outcome;
const failed = (content: string) => ({
  status: 'failed',
  result: { role: 'tool', name: 'look_up', content, metadata: { tool_call_id: 'c1', outcome: 'failed' } },
});

describe('what a tool returns is the result of its call', () => {
  it.each([
    ['a text as it is', 'shipped', 'shipped'],
    ['an empty text', '', ''],
    ['an object as JSON', { a: [1] }, '{"a":[1]}'],
    ['nothing as null', undefined, 'null'],
    ['null as null', null, 'null'],
    ['false as false', false, 'false'],
    ['an undefined property as absent', { a: undefined }, '{}'],
  ])('%s', async (_, value, content) => {
    expect(await call(() => value)).toEqual({
      status: 'done',
      result: { role: 'tool', name: 'look_up', content, metadata: { tool_call_id: 'c1' } },
      variables: undefined,
    });
  });

  it.each([
    ['a Date', { placed_at: new Date(0) }, 'result.placed_at: Date'],
    ['a BigInt', [10n], 'result[0]: BigInt'],
    ['an instance of a class', { a: new (class Order {})() }, 'result.a: Order'],
    ['a lone surrogate', '\ud800', 'result: a string with a lone surrogate'],
    ['a function', () => {}, 'result: function'],
  ])('%s, which JSON cannot carry, is a failed result that names the path', async (_, value, said) => {
    expect(await call(() => value)).toEqual(failed(`Error: ${said}; JSON cannot carry it exactly. Return JSON.`));
  });

  it('one that is too large is a failed result with the limit; at the limit it is not', async () => {
    const empty = JSON.stringify({
      role: 'tool',
      name: 'look_up',
      content: '',
      metadata: { tool_call_id: 'c1' },
    }).length;
    expect((await call(() => 'x'.repeat(10_000 - empty))).status).toBe('done');
    expect(await call(() => 'x'.repeat(10_001 - empty))).toEqual(
      failed('Error: the result has 10001 bytes; 10000 are allowed.'),
    );
  });
});

describe('what a tool throws is a failed result', () => {
  const throws = (thrown: unknown) => () => {
    throw thrown;
  };
  it.each<[string, unknown, string]>([
    ['an error', new Error('out of stock'), 'out of stock'],
    ['an error without words', new RangeError(''), 'RangeError'],
    ['a text', 'no', 'no'],
    ['nothing', undefined, 'The tool failed.'],
    ['null', null, 'The tool failed.'],
    ['a number', 7, 'The tool failed.'],
    ['an error with a message that is none', Object.assign(new Error('x'), { message: { a: 1 } }), 'The tool failed.'],
    ['half a character', new Error('\ud800'), '\ufffd'],
  ])('%s', async (_, thrown, said) => {
    expect(await call(throws(thrown))).toEqual(failed(`Error: ${said}`));
    expect(await call(() => Promise.reject(thrown))).toEqual(failed(`Error: ${said}`));
  });

  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const unreadable = () =>
    Object.defineProperty(new Error('x'), 'message', {
      get() {
        throw new Error('asked for words');
      },
    });
  it.each<[string, () => unknown]>([
    ['an error that throws when it is asked for its words', unreadable],
    ['a proxy that answers no question', revoked],
    ['an error of ours whose message is none', () => Object.assign(new AgentStateError('closed', ''), { message: 7 })],
  ])('%s, also of a tool that may not run twice', async (_, make) => {
    expect(await call(throws(make()))).toEqual(failed('Error: The tool failed.'));
    expect(await call(async () => Promise.reject(make()))).toEqual(failed('Error: The tool failed.'));
    expect(await callToolInTime(requestOf(throws(make())))).toEqual(failed('Error: The tool failed.'));
  });

  it('cut to what a model can read', async () => {
    const { result } = await call(throws(new Error('x'.repeat(100_000))), { maxMessageBytes: 1_000_000 });
    expect(result.content).toHaveLength(20_000 + 'Error: '.length);
  });
});

describe('arguments', () => {
  const echo = (args: unknown) => args;
  const schema = v.object({ id: v.number() }) as unknown as Tool['parameters'];
  const withSchema = (validate: () => never) =>
    tool(echo, { parameters: { '~standard': { version: 1, vendor: 'test', validate } } });

  it('are what the model sent; nothing is an empty object', async () => {
    expect((await call(echo, { args: '{"id":7}' })).result.content).toBe('{"id":7}');
    expect((await call(echo, { args: '' })).result.content).toBe('{}');
  });

  it('may be called __proto__, and pollute nothing', async () => {
    const { result } = await call(echo, { args: '{"__proto__":{"polluted":1}}' });
    expect(result.content).toBe('{"__proto__":{"polluted":1}}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it.each([
    ['{"id":', 'The arguments are not JSON.'],
    ['[1]', 'The arguments are not a JSON object.'],
    ['null', 'The arguments are not a JSON object.'],
    ['"text"', 'The arguments are not a JSON object.'],
  ])('%s does not reach the tool', async (args, said) => {
    expect(await call(() => expect.unreachable(), { args })).toEqual(failed(`Error: ${said}`));
  });

  it('that the schema refuses do not reach the tool; the first fault is told', async () => {
    const checked = tool(echo, { parameters: schema });
    expect(await call(echo, { tool: checked, args: '{"id":"x"}' })).toEqual(
      failed('Error: The arguments were refused: id: Invalid type: Expected number but received "x"'),
    );
    expect((await call(echo, { tool: checked, args: '{"id":7,"more":1}' })).result.content).toBe('{"id":7}');
  });

  it('of a schema that throws are refused: the run goes on', async () => {
    const broken = withSchema(() => {
      throw new Error('bug');
    });
    expect(await call(echo, { tool: broken })).toEqual(
      failed('Error: The arguments were refused: the schema itself failed'),
    );
  });

  it('of a schema that never answers hold up nobody when the run is aborted, and the tool does not start', async () => {
    let answer: (result: unknown) => void = () => {};
    const hanging = withSchema(() => new Promise((resolve) => (answer = resolve)) as never);
    const { outcome, aborter } = request(() => expect.unreachable(), {
      tool: { ...hanging, execute: () => expect.unreachable() },
    });
    aborter.abort(new Error('stop'));
    await expect(outcome).rejects.toThrow('stop');
    answer({ value: {} });
  });

  it('of a tool that is gone are a failed result', async () => {
    expect(await request(undefined).outcome).toEqual(failed('Error: There is no tool named look_up.'));
  });
});

describe('a tool', () => {
  it('is told which call it is, the same for every attempt', async () => {
    let seen: Partial<ToolContext> = {};
    await call((_, context) => {
      seen = context;
    });
    expect(seen).toMatchObject({ threadId: 't', callId: 'c1', idempotencyKey: 'key-c1', attempt: 1 });
  });

  it('that takes longer than its time has failed, and its signal says so', async () => {
    const signals: AbortSignal[] = [];
    const slow = tool(
      (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
      { timeoutMs: 500 },
    );
    const { runtime, outcome } = request(undefined, { tool: slow });
    expect(await runtime.until(outcome)).toEqual(failed('Error: The tool took longer than 500 ms.'));
    expect(runtime.monotonic()).toBe(500);
    expect(signals[0]?.aborted).toBe(true);
  });

  it('whose run is aborted has no result, and leaves no timer behind, also if it never ends', async () => {
    const { runtime, outcome, aborter } = request(undefined, {
      tool: tool(() => new Promise(() => {}), { timeoutMs: 60_000 }),
    });
    const ended = expect(outcome).rejects.toThrow('taken over');
    await runtime.advance(10);
    aborter.abort(new Error('taken over'));
    await ended;
    expect(runtime.pending('all')).toBe(0);
  });

  it('does not start in a run that is aborted', async () => {
    const aborter = new AbortController();
    aborter.abort(new Error('stop'));
    await expect(call(() => expect.unreachable(), { signal: aborter.signal })).rejects.toThrow('stop');
  });

  it('that fails because its run was aborted has no result: it may run again', async () => {
    const { outcome, aborter } = request(async () => {
      aborter.abort(new Error('stop'));
      throw new Error('fetch failed');
    });
    await expect(outcome).rejects.toThrow('stop');
  });

  it('that rejects after its end ends no process', async () => {
    const { runtime, outcome } = request(undefined, {
      tool: tool(
        (_, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('late')))),
        { timeoutMs: 5 },
      ),
    });
    expect((await runtime.until(outcome)).status).toBe('failed');
  });
});

describe('the variables of a call', () => {
  it('are seen by the call itself, and belong to its result', async () => {
    const { variables } = await call(
      (_, { variables: own }) => {
        own.set('a', 1);
        expect(own.get('a')).toBe(1);
        expect(own.get('b')).toBe(2);
        expect(own.get('toString')).toBeUndefined();
      },
      { variables: { a: 0, b: 2 } },
    );
    expect(variables).toEqual({ a: 1 });
  });

  it('that JSON cannot carry are refused where they are set', async () => {
    expect(await call((_, { variables }) => variables.set('at', new Date(0)))).toEqual(
      failed('Error: variables.at: Date; JSON cannot carry it exactly.'),
    );
  });

  it('are as deep as the variables of a thread may be', async () => {
    const nested = (levels: number): unknown => (levels === 1 ? {} : { down: nested(levels - 1) });
    const set = (levels: number) => call((_, { variables }) => variables.set('deep', nested(levels)));
    expect((await set(maxDepth - 1)).status).toBe('done');
    expect((await set(maxDepth)).status).toBe('failed');
  });

  it('are those of the moment it ended: what is set or changed later is not of it', async () => {
    const list = [1];
    let later = (): void => {};
    const { variables } = await call((_, { variables: own }) => {
      own.set('list', list);
      later = () => own.set('late', 1);
    });
    list.push(2);
    later();
    expect(variables).toEqual({ list: [1] });
    expect(Object.isFrozen(variables)).toBe(true);
  });

  it('of a call that fails are dropped', async () => {
    const outcome = await call((_, { variables }) => {
      variables.set('a', 1);
      throw new Error('no');
    });
    expect(outcome.variables).toBeUndefined();
  });

  it('of a tool past its time are dropped', async () => {
    const runtime = createVirtualRuntime();
    const slow = tool((_, { variables }) => sleep(runtime, 50).then(() => variables.set('a', 1)), { timeoutMs: 5 });
    const outcome = await runtime.until(request(undefined, { tool: slow, runtime }).outcome);
    await runtime.advance(100);
    expect(outcome.variables).toBeUndefined();
  });
});

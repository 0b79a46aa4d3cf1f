import { describe, expect, it } from 'vitest';
import type { ModelAnswer } from '../../model/model.ts';
import { AgentStateError } from '../../protocol/errors.ts';
import { asksFor, createWorld, named, says } from '../../testing/agents.ts';
import { toolCall } from '../../testing/samples.ts';
import { settle } from '../../testing/virtual-runtime.ts';

const overloaded = () => {
  throw new AgentStateError('model', 'Overloaded.', { retryable: true });
};
const historyOf = async (process: ReturnType<ReturnType<typeof createWorld>['process']>) => {
  const thread = await process.client.load('t');
  return thread.found ? thread.state.history.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`) : [];
};
const phaseOf = async (process: ReturnType<ReturnType<typeof createWorld>['process']>) => {
  const thread = await process.client.load('t');
  return thread.found ? thread.state.run : undefined;
};

/** A process whose model gives what no script could, and how often it was asked. */
function answering(generate: () => unknown) {
  let asked = 0;
  const model = {
    name: 'm',
    async generate() {
      asked += 1;
      return generate() as ModelAnswer;
    },
  };
  return { bot: createWorld().process([], [], { models: { m: model } }), asked: () => asked };
}

describe('a model', () => {
  it('[S-RES-05] that fails for now is asked again; the input is stored once', async () => {
    let asked = 0;
    const { process } = createWorld();
    const bot = process([() => (++asked < 3 ? overloaded() : says('hello'))]);
    expect(await bot.agent.run('hi')).toMatchObject({ answer: 'hello', durable: true });
    expect(await historyOf(bot)).toEqual(['system: "Be kind."', 'user: "hi"', 'assistant: "hello"']);
    expect(bot.requests.map(({ messages }) => messages.length)).toEqual([2, 2, 2]);
  });

  it('that fails for now every time has failed, after three', async () => {
    const bot = createWorld().process([overloaded]);
    await expect(bot.agent.run('hi')).rejects.toMatchObject({ code: 'model', message: 'Overloaded.' });
    expect(bot.requests).toHaveLength(3);
  });

  it('[S-RES-10] that fails for good marks the run, and the next input knows of it', async () => {
    const bot = createWorld().process([
      ({ messages }) => {
        if (messages.length < 3) throw new Error('no key: sk-secret');
        return says('now');
      },
    ]);
    await expect(bot.agent.run('first')).rejects.toMatchObject({ code: 'model', message: 'The model failed.' });
    expect(await phaseOf(bot)).toMatchObject({ phase: 'failed', owner: null, error: { code: 'model' } });
    expect(await bot.agent.run('second')).toMatchObject({ answer: 'now' });
    const thread = await bot.client.load('t');
    expect(thread.found && thread.state.history.at(-2)?.metadata).toMatchObject({
      previous_run: { outcome: 'failed', code: 'model' },
    });
    expect(JSON.stringify([bot.events, bot.warnings])).not.toContain('secret');
  });

  it.each<[string, unknown]>([
    ['half a character', { content: '\ud800' }],
    ['a Date among its parts', { content: [{ type: 'text', at: new Date(0) }] }],
    ['a number as content', { content: 7 }],
    ['a call without a function', { content: null, toolCalls: [{ id: 'c' }] }],
    [
      'arguments that are no text',
      { content: null, toolCalls: [{ ...toolCall('c'), function: { name: 'x', arguments: {} } }] },
    ],
    ['more than a message may have', { content: 'x'.repeat(1_000_000) }],
    ['neither content nor calls', {}],
    ['a call that is none', { content: 'x', toolCalls: [null] }],
    ['text for its calls', { content: 'x', toolCalls: 'abc' }],
    ['an object for its calls', { content: null, toolCalls: {} }],
  ])('whose answer has %s is asked again, and nothing of that answer is stored', async (_, answer) => {
    const answers = [answer as ModelAnswer, says('better')];
    const bot = createWorld().process([() => answers.shift() as ModelAnswer]);
    expect(await bot.agent.run('hi')).toMatchObject({ answer: 'better', durable: true });
    expect(await historyOf(bot)).toHaveLength(3);
  });

  it('whose answer can never be stored has failed, and says why by its path', async () => {
    const bot = createWorld().process([() => ({ content: '\ud800' })]);
    await expect(bot.agent.run('hi')).rejects.toMatchObject({
      code: 'model',
      message: expect.stringContaining('answer.content: a string with a lone surrogate'),
    });
    expect(await phaseOf(bot)).toMatchObject({ phase: 'failed' });
  });

  it.each([undefined, null, 'sk-secret', 7])(
    'that answers %j is asked again, and nothing of it is stored',
    async (answer) => {
      const answers: unknown[] = [answer, says('better')];
      const { bot } = answering(() => answers.shift());
      expect(await bot.agent.run('hi')).toMatchObject({ answer: 'better', durable: true });
      expect(await historyOf(bot)).toHaveLength(3);
    },
  );

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'expected { content, toolCalls }, got undefined'],
    ['null', null, 'expected { content, toolCalls }, got null'],
    ['text', 'sk-secret', 'expected { content, toolCalls }, got a string'],
    ['neither', {}, 'it has neither content nor tool calls'],
    ['calls that are none', { content: 'sk-secret', toolCalls: [null] }, 'toolCalls[0]: expected an object, got null'],
    ['text for its calls', { content: 'x', toolCalls: 'sk-secret' }, 'toolCalls: expected an array, got a string'],
  ])(
    'that answers %s every time has failed, and the error says what was wrong without showing it',
    async (_, answer, said) => {
      const { bot, asked } = answering(() => answer);
      const failure: unknown = await bot.agent.run('hi').catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'model', retryable: true, message: expect.stringContaining(said) });
      expect((failure as Error).message).not.toContain('sk-secret');
      expect(asked()).toBe(3);
      expect(await phaseOf(bot)).toMatchObject({ phase: 'failed', error: { code: 'model' } });
    },
  );

  it('that throws what answers no question has failed', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const { bot } = answering(() => {
      throw proxy;
    });
    await expect(bot.agent.run('hi')).rejects.toMatchObject({ code: 'model', message: 'The model failed.' });
    expect(await phaseOf(bot)).toMatchObject({ phase: 'failed' });
  });

  it('that never answers is ended by the time of the run', async () => {
    const { process, runtime } = createWorld();
    const bot = process([() => new Promise<never>(() => {})]);
    await expect(runtime.until(bot.agent.run('hi'))).rejects.toMatchObject({ code: 'max_execution_time' });
    expect(runtime.monotonic()).toBe(60_000);
    expect(await phaseOf(bot)).toMatchObject({ phase: 'failed', error: { code: 'max_execution_time' } });
    await settle();
    expect(runtime.pending('all')).toBe(0);
  });

  it('that never answers has the time of the run once, however many processes die while they wait for it', async () => {
    const world = createWorld();
    const never = () => new Promise<never>(() => {});
    const first = world.process([never]);
    first.agent.run('hi').catch(() => {});
    await world.runtime.advance(50_000);
    first.client.down('hangs');
    const second = world.process([never]);
    await expect(world.runtime.until(second.agent.resume())).rejects.toMatchObject({ code: 'max_execution_time' });
    expect(world.runtime.monotonic()).toBeLessThan(66_000);
  });

  it('that fails with a code of something else has failed; it is not asked again', async () => {
    const bot = createWorld().process([
      () => {
        throw new AgentStateError('unavailable', 'A vector store is down.');
      },
    ]);
    await expect(bot.agent.run('hi')).rejects.toMatchObject({ code: 'model', message: 'The model failed.' });
    expect(bot.requests).toHaveLength(1);
  });

  it('that answers without a call`s id gets ids of ours; the ids that it gives are stored as they come', async () => {
    const bot = createWorld().process(
      [
        {
          content: null,
          toolCalls: [toolCall('', 'look_up'), toolCall('same', 'look_up'), toolCall('same', 'look_up')],
        },
        { content: null, toolCalls: [toolCall('same', 'look_up')] },
        says('done'),
      ],
      [named('look_up', (_, { idempotencyKey }) => idempotencyKey)],
    );
    await bot.agent.run('hi');
    const thread = await bot.client.load('t');
    const results = thread.found ? thread.state.history.filter(({ role }) => role === 'tool') : [];
    const ids = results.map(({ metadata }) => metadata?.tool_call_id);
    expect(ids).toEqual([expect.stringMatching(/^call_/), 'same', 'same', 'same']);
    expect(new Set(results.map(({ content }) => content)).size).toBe(4);
  });

  it('is asked as often as its profile allows', async () => {
    const turns = Array.from({ length: 20 }, () => asksFor('look_up'));
    const bot = createWorld().process(turns, [named('look_up', () => 'x')]);
    await expect(bot.agent.run('hi')).rejects.toMatchObject({ code: 'max_iterations' });
    expect(bot.requests).toHaveLength(10);
    expect(await phaseOf(bot)).toMatchObject({ phase: 'failed', iterations: 10, error: { code: 'max_iterations' } });
  });
});

describe('what a model said in vain', () => {
  const speaksInVain = () => {
    let asked = 0;
    return createWorld().process([
      ({ onText }) => {
        onText?.('Hello');
        return ++asked < 3 ? overloaded() : says(' world');
      },
    ]);
  };

  it('is known by an event before the model is asked again, so that a stream shows no text twice', async () => {
    let shown = '';
    for await (const event of speaksInVain().agent.stream('hi')) {
      if (event.type === 'asked_again') shown = '';
      if (event.type === 'text') shown += event.text;
    }
    expect(shown).toBe('Hello world');
  });

  it('is told with how often the model is asked, and not after the last time', async () => {
    const bot = speaksInVain();
    await bot.agent.run('hi');
    const told = bot.events.filter(({ type }) => type === 'asked_again');
    expect(told).toEqual([2, 3].map((attempt) => ({ type: 'asked_again', threadId: 't', attempt })));
    const given = createWorld().process([overloaded]);
    await expect(given.agent.run('hi')).rejects.toThrow();
    expect(given.types().filter((type) => type === 'asked_again')).toHaveLength(2);
  });
});

describe('aborting while the model speaks', () => {
  it.each([0, 10])('[S-RES-06] after %d characters stores none of them, and the thread goes on', async (characters) => {
    const { process } = createWorld();
    const aborter = new AbortController();
    const bot = process([
      ({ messages, onText }) => {
        if (messages.some(({ metadata }) => metadata?.previous_run)) return says('fine');
        onText?.('x'.repeat(characters));
        aborter.abort();
        return new Promise<never>(() => {});
      },
    ]);
    await expect(bot.agent.run('hi', { signal: aborter.signal })).rejects.toMatchObject({ code: 'aborted' });
    expect(await historyOf(bot)).toEqual(['system: "Be kind."', 'user: "hi"']);
    expect(await phaseOf(bot)).toMatchObject({ phase: 'cancelled', owner: null, error: { code: 'aborted' } });
    expect(await bot.agent.run('again')).toMatchObject({ answer: 'fine' });
  });

  it('while its answer is saved comes too late: the run is done', async () => {
    const { process } = createWorld();
    const aborter = new AbortController();
    const bot = process([says('hello')]);
    bot.client.next('save', 'fine', async () => aborter.abort());
    expect(await bot.agent.run('hi', { signal: aborter.signal })).toMatchObject({ answer: 'hello', durable: true });
    expect(await phaseOf(bot)).toMatchObject({ phase: 'done', error: null });
  });
});

import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { maxVariablesBytes } from '../../protocol/capabilities.ts';
import { sleep } from '../../protocol/runtime.ts';
import { asksFor, createWorld, named, type Process, says } from '../../testing/agents.ts';
import { asks, openCall, runRecord, toolCall, user } from '../../testing/samples.ts';
import { settle } from '../../testing/virtual-runtime.ts';
import type { AgentFactoryOptions } from '../options.ts';

async function threadOf({ client }: Process) {
  const thread = await client.load('t');
  if (!thread.found) throw new Error('There is no thread.');
  return thread.state;
}
const resultsOf = async (bot: Process) =>
  (await threadOf(bot)).history.filter(({ role }) => role === 'tool').map(({ content }) => content);

describe('the results of a turn', () => {
  it('become messages in the order of the calls, in whatever order they come and however slow the store is', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const delays = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(delays, async (ms) => {
        const { process, runtime, store } = createWorld();
        const tools = names.map((name, index) =>
          named(name, () => sleep(runtime, ms[index] as number).then(() => name)),
        );
        const bot = process([asksFor(...names), says('done')], tools);
        bot.client.next('save', ...ms.slice(4).map((delay) => () => sleep(runtime, delay)));
        expect(await runtime.until(bot.agent.run('hi'))).toMatchObject({ answer: 'done', durable: true });
        expect(await resultsOf(bot)).toEqual(names);
        const sent = store.written.flatMap(({ messages }) => messages.map(({ index }) => index));
        expect(sent.sort((x, y) => x - y)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      }),
      { numRuns: 60 },
    );
  });

  it('are saved as they come, the last one with the messages', async () => {
    const { process, store } = createWorld();
    const bot = process(
      [asksFor('a', 'b'), says('done')],
      [named('a', () => 'a'), named('b', () => settle().then(() => 'b'))],
    );
    await bot.agent.run('hi');
    const shape = store.written.map(
      ({ control, head }) => `${control.length} ${(head.value.run as { phase: string }).phase}`,
    );
    expect(shape).toEqual(['2 think', '3 act', '3 act', '5 think', '6 done']);
  });

  it('at most so many calls run at the same time', async () => {
    let atOnce = 0;
    let most = 0;
    const tool = named('a', async () => {
      most = Math.max(most, ++atOnce);
      await settle();
      atOnce -= 1;
    });
    const bot = createWorld().process([asksFor(...Array<string>(50).fill('a')), says('done')], [tool]);
    await bot.agent.run('hi');
    expect(most).toBe(8);
    expect(await resultsOf(bot)).toHaveLength(50);
  });

  it('many at once are no leak to Node', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    const tools = [named('a', () => settle())];
    const bot = createWorld().process([asksFor(...Array<string>(40).fill('a')), says('done')], tools, {
      toolConcurrency: 40,
    });
    await bot.agent.run('hi');
    await settle();
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});

describe('a save that fails after a tool has run', () => {
  it.each(['refused', 'lost', 'applied', 'hangs'] as const)(
    '[S-RES-07] %s, at any save of the run, the history is whole and each tool ran once',
    async (fault) => {
      for (let at = 0; at < 5; at += 1) {
        const ran: string[] = [];
        const { process, runtime } = createWorld();
        const bot = process(
          [asksFor('a', 'b'), says('done')],
          [named('a', () => ran.push('a')), named('b', () => ran.push('b'))],
        );
        bot.client.next('save', ...Array<'fine'>(at).fill('fine'), fault);
        expect(await runtime.until(bot.agent.run('hi'))).toMatchObject({ answer: 'done', durable: true });
        expect(ran.sort()).toEqual(['a', 'b']);
        expect((await threadOf(bot)).history.map(({ role }) => role)).toEqual([
          'system',
          'user',
          'assistant',
          'tool',
          'tool',
          'assistant',
        ]);
      }
    },
  );

  it('[S-RES-07] for good leaves the result in memory: the run goes on and says that it is not durable', async () => {
    let runs = 0;
    const { process, runtime } = createWorld();
    const bot = process(
      [asksFor('a'), says('done')],
      [
        named('a', () => {
          bot.client.down();
          return ++runs;
        }),
      ],
    );
    expect(await runtime.until(bot.agent.run('hi'))).toMatchObject({ answer: 'done', durable: false });
    expect(runs).toBe(1);
    bot.client.up();
    await runtime.advance(30_000);
    expect((await threadOf(bot)).run?.phase).toBe('done');
    expect(await resultsOf(bot)).toEqual(['1']);
  });
});

describe('a tool that blocks the process', () => {
  it('makes no outage of it', async () => {
    const { process, runtime } = createWorld();
    const slowStore = () => sleep(runtime, 20);
    const bot = process(
      [asksFor('quick', 'blocks'), says('done')],
      [
        named('quick', () => 'q'),
        named('blocks', async () => {
          await settle();
          runtime.block(10_000);
          return 'b';
        }),
      ],
    );
    bot.client.next('save', slowStore, slowStore, slowStore, slowStore, slowStore);
    expect(await runtime.until(bot.agent.run('hi'))).toMatchObject({ answer: 'done', durable: true });
    expect(bot.types()).not.toContain('volatile');
  });
});

describe('variables', () => {
  const large = (bytes: number) => 'x'.repeat(bytes);
  const setting = (name: string, value: unknown, after = 0) =>
    named(name, async (_, { variables }) => {
      for (let turn = 0; turn < after; turn += 1) await settle();
      variables.set(name, value);
    });

  it('of calls that each fit and together do not: the later one fails, is not run again, and the thread goes on', async () => {
    for (const after of [0, 1]) {
      const bot = createWorld().process(
        [asksFor('a', 'b'), says('done')],
        [setting('a', large(maxVariablesBytes / 2)), setting('b', large(maxVariablesBytes / 2), after)],
      );
      expect(await bot.agent.run('hi')).toMatchObject({ answer: 'done', durable: true });
      expect(await resultsOf(bot)).toEqual([
        'null',
        expect.stringMatching(/^Error: the variables would have 10000\d\d bytes/),
      ]);
      expect(Object.keys((await threadOf(bot)).variables)).toEqual(['a']);
    }
  });

  it('that the thread`s schema refuses make a failed result, and are not stored', async () => {
    const variables = v.looseObject({ age: v.optional(v.number()) }) as unknown as NonNullable<
      AgentFactoryOptions['variables']
    >;
    const bot = createWorld().process(
      [asksFor('age', 'name'), says('done')],
      [setting('age', 'old'), setting('name', 'Al')],
      { variables },
    );
    await bot.agent.run('hi');
    expect(await resultsOf(bot)).toEqual([
      'Error: the variables were refused: age: Invalid type: Expected number but received "old"',
      'null',
    ]);
    expect((await threadOf(bot)).variables).toEqual({ name: 'Al' });
  });

  it('that a schema cannot check make a failed result, and the run goes on', async () => {
    const validate = () => {
      throw new Error('bug');
    };
    const variables = { '~standard': { version: 1 as const, vendor: 'test', validate } };
    const bot = createWorld().process([asksFor('a'), says('done')], [setting('a', 1)], { variables });
    expect(await bot.agent.run('hi')).toMatchObject({ answer: 'done' });
    expect(await resultsOf(bot)).toEqual(['Error: the variables were refused: the schema itself failed']);
  });

  it('that grow a level each turn are refused in time, and the thread goes on', async () => {
    const nests = named('nest', (_, { variables }) => variables.set('v', { before: variables.get('v') ?? null }));
    const turns = Array.from({ length: 150 }, () => asksFor('nest'));
    const profiles = { bot: { name: 'bot', tools: ['nest'], maxIterations: 200 } };
    const bot = createWorld().process([...turns, says('done')], [nests], { profiles });
    expect(await bot.agent.run('hi')).toMatchObject({ answer: 'done', durable: true });
    expect((await resultsOf(bot)).at(-1)).toMatch(/nesting past 127 levels/);
  });
});

describe('a result that cannot be stored', () => {
  it.each<[string, unknown, string | RegExp]>([
    ['too large', 'x'.repeat(1_000_001), /^Error: the result has \d+ bytes; 1000000 are allowed\.$/],
    ['a Date', { at: new Date(0) }, 'Error: result.at: Date; JSON cannot carry it exactly. Return JSON.'],
    ['nothing', undefined, 'null'],
  ])('(%s) is told to the model; the tool is not run again, and the thread goes on', async (_, value, content) => {
    let runs = 0;
    const bot = createWorld().process(
      [asksFor('a'), says('done')],
      [
        named('a', () => {
          runs += 1;
          return value;
        }),
      ],
    );
    expect(await bot.agent.run('hi')).toMatchObject({ answer: 'done', durable: true });
    expect(runs).toBe(1);
    expect(await resultsOf(bot)).toEqual([typeof content === 'string' ? content : expect.stringMatching(content)]);
  });

  it('just at the limit is stored', async () => {
    const { process } = createWorld();
    const measure = process([asksFor('a'), says('done')], [named('a', () => '')]);
    await measure.agent.run('hi');
    const empty = JSON.stringify((await threadOf(measure)).history.find(({ role }) => role === 'tool')).length;
    const bot = createWorld().process([asksFor('a'), says('done')], [named('a', () => 'x'.repeat(1_000_000 - empty))]);
    expect(await bot.agent.run('hi')).toMatchObject({ durable: true });
    expect((await resultsOf(bot))[0]).toHaveLength(1_000_000 - empty);
  });
});

describe('a tool that is gone, misnamed, or fails', () => {
  it('gives a failed result, and the model goes on', async () => {
    const bot = createWorld().process(
      [asksFor('nowhere', 'fails', '__proto__'), says('done')],
      [
        named('fails', () => {
          throw new Error('out of stock');
        }),
      ],
    );
    expect(await bot.agent.run('hi')).toMatchObject({ answer: 'done', durable: true });
    expect(await resultsOf(bot)).toEqual([
      'Error: There is no tool named nowhere.',
      'Error: out of stock',
      'Error: There is no tool named __proto__.',
    ]);
  });

  it('that never ends is ended by the time of the run; its call stays open', async () => {
    const { process, runtime } = createWorld();
    const bot = process(
      [asksFor('hangs', 'quick')],
      [named('hangs', () => new Promise(() => {})), named('quick', () => 'q')],
    );
    await expect(runtime.until(bot.agent.run('hi'))).rejects.toMatchObject({ code: 'max_execution_time' });
    const { run } = await threadOf(bot);
    expect(run).toMatchObject({
      phase: 'failed',
      calls: [{ status: 'planned' }, { status: 'done', result: { content: 'q' } }],
    });
  });
});

describe('a call whose message somebody has moved away from the end', () => {
  it('is not run with arguments that are not its own', async () => {
    const world = createWorld();
    const bot = world.process([says('unused'), says('I see.')], [named('a', () => expect.unreachable())]);
    const calls = [openCall('c1', { tool: 'a' })];
    const history = [asks(toolCall('c1', 'a', '{"id":7}')), user('by hand')];
    await bot.client.save('t', { state: { history, run: runRecord({ phase: 'act', calls }) } });
    expect(await bot.agent.resume()).toMatchObject({ answer: 'I see.' });
    expect(await resultsOf(bot)).toEqual(['Error: The history does not end with this call any more.']);
  });
});

describe('after a run that failed with open calls', () => {
  it('the next input answers them without running them, and follows them', async () => {
    const { process, runtime } = createWorld();
    const ran: string[] = [];
    const tools = [
      named('hangs', () => {
        ran.push('hangs');
        return new Promise(() => {});
      }),
      named('quick', () => 'q'),
    ];
    const bot = process([asksFor('hangs', 'quick'), says('I see.')], tools);
    await expect(runtime.until(bot.agent.run('first'))).rejects.toMatchObject({ code: 'max_execution_time' });
    expect(await bot.agent.run('second')).toMatchObject({ answer: 'I see.', durable: true });
    expect(ran).toEqual(['hangs']);
    expect((await threadOf(bot)).history.slice(3).map(({ role, content }) => [role, content])).toEqual([
      ['tool', 'Unknown: this call may or may not have run; its result was lost.'],
      ['tool', 'q'],
      ['user', 'second'],
      ['assistant', 'I see.'],
    ]);
  });
});

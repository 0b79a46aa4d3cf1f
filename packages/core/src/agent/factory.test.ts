import { describe, expect, it, vi } from 'vitest';
import { createScriptedModel } from '../model/scripted.ts';
import { defineCheckpointer } from '../protocol/define.ts';
import { asksFor, createWorld, named, says } from '../testing/agents.ts';
import { createTextStore } from '../testing/text-store.ts';
import { settle } from '../testing/virtual-runtime.ts';
import { createAgentFactory } from './factory.ts';
import type { AgentFactoryOptions } from './options.ts';

const model = createScriptedModel([says('hello')]);
const store = defineCheckpointer(createTextStore());
const options = (more: Partial<AgentFactoryOptions> = {}): AgentFactoryOptions => ({
  profiles: { bot: { name: 'bot' } },
  defaultProfile: 'bot',
  models: { m: model },
  defaultModel: 'm',
  ...more,
});
const argument = (path: string) => expect.objectContaining({ code: 'invalid_argument', path });
const configuration = (path: string) => expect.objectContaining({ code: 'configuration', path });

describe('a factory', () => {
  it('warns of a tool whose arguments the model is not told', () => {
    const warn = vi.fn();
    const parameters = {
      '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) },
    };
    const tools = [{ name: 'refund', description: 'Pays back.', parameters, execute: () => null }];
    createAgentFactory(options({ tools, logger: { info() {}, warn, error() {} } }));
    expect(warn).toHaveBeenCalledExactlyOnceWith({ tool: 'refund' }, expect.stringContaining('jsonSchema'));
  });

  it('warns on the console where it was given no logger', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const parameters = {
      '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) },
    };
    createAgentFactory(
      options({ tools: [{ name: 'refund', description: 'Pays back.', parameters, execute: () => null }] }),
    );
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });

  it.each<[string, Partial<AgentFactoryOptions>, { profile?: string }, string]>([
    ['agents that are disabled', { enabled: false }, {}, 'ai.agents.enabled'],
    ['an unknown profile', {}, { profile: 'nobody' }, 'profile'],
    ['a profile called like a method', {}, { profile: 'toString' }, 'profile'],
    ['no profile at all', { defaultProfile: undefined as never }, {}, 'profile'],
    ['an unknown model', { defaultModel: 'nothing' }, {}, 'models'],
    ['a model called like a method', { defaultModel: 'constructor' }, {}, 'models'],
    ['no model at all', { defaultModel: undefined as never }, {}, 'models'],
    ['a limit of 0', { toolConcurrency: 0 }, {}, 'toolConcurrency'],
    ['a limit that is no number', { maxAttempts: Number.NaN }, {}, 'maxAttempts'],
    [
      'a time to work that is text',
      { profiles: { bot: { name: 'bot', maxExecutionTimeSeconds: '60' as never } } },
      {},
      'maxExecutionTimeSeconds',
    ],
    [
      'a tool that asks a person what became of it, without a store to wait in',
      {
        profiles: { bot: { name: 'bot', tools: ['pay'] } },
        tools: [named('pay', () => 1, { effect: 'once', onUnknown: 'pause' })],
      },
      {},
      'tools',
    ],
  ])('creates no agent for %s', (_, more, create, path) => {
    expect(() => createAgentFactory(options(more)).create(create)).toThrow(configuration(path));
  });

  it.each<[string, Partial<AgentFactoryOptions>, string]>([
    ['a profile with an unknown tool', { profiles: { bot: { name: 'bot', tools: ['nothing'] } } }, 'tools'],
    ['a tool twice', { tools: [named('a', () => 1), named('a', () => 1)] }, 'tools'],
    ['a tool with an odd name', { tools: [named('a b', () => 1)] }, 'tools'],
    ['a tool that cannot be called', { tools: [named('a', 'text' as never)] }, 'tools'],
    ['a tool without parameters', { tools: [named('a', () => 1, { parameters: null as never })] }, 'tools'],
    [
      'a tool whose parameters are not JSON',
      { tools: [named('a', () => 1, { parameters: { of: Date } as never })] },
      'tools',
    ],
    ['a tool without a time', { tools: [named('a', () => 1, { timeoutMs: 0 })] }, 'tools'],
    ['a tool without a time that is a number', { tools: [named('a', () => 1, { timeoutMs: '5' as never })] }, 'tools'],
    ['tools that are no list', { tools: { a: 1 } as never }, 'tools'],
    ['a store without a time', { checkpointer: store, storeCallMs: 0 }, 'storeCallMs'],
    ['a store without a budget', { checkpointer: store, storeBudgetMs: -1 }, 'storeBudgetMs'],
    ['a time that is text', { checkpointer: store, storeCallMs: '2000' as never }, 'storeCallMs'],
    ['a budget that is text', { checkpointer: store, storeBudgetMs: '5000' as never }, 'storeBudgetMs'],
    ['a heartbeat that is text', { checkpointer: store, heartbeatMs: '5000' as never }, 'heartbeatMs'],
    ['a patience that is text', { checkpointer: store, busyWaitMs: '30000' as never }, 'busyWaitMs'],
    ['no profiles', { profiles: undefined as never }, 'profiles'],
    ['profiles that are a list', { profiles: [{ name: 'bot' }] as never }, 'profiles'],
    ['a profile that is none', { profiles: { bot: 'Be kind.' as never } }, 'profiles.bot'],
    [
      'a profile with a misspelt key',
      { profiles: { bot: { name: 'bot', system_prompt: 'Be kind.' } as never } },
      'profiles.bot.system_prompt',
    ],
    [
      'a profile with another misspelt key',
      { profiles: { bot: { name: 'bot', tool: ['refund'] } as never } },
      'profiles.bot.tool',
    ],
    ['a profile without a name', { profiles: { bot: {} as never } }, 'profiles.bot.name'],
    ['a profile with a number for its name', { profiles: { bot: { name: 5 as never } } }, 'profiles.bot.name'],
    [
      'a profile whose prompt is no text',
      { profiles: { bot: { name: 'bot', systemPrompt: 5 as never } } },
      'profiles.bot.systemPrompt',
    ],
    [
      'a profile whose tools are text',
      { profiles: { bot: { name: 'bot', tools: 'refund' as never } } },
      'profiles.bot.tools',
    ],
    [
      'a profile with a tool for the name of one',
      { profiles: { bot: { name: 'bot', tools: [named('a', () => 1)] as never } } },
      'profiles.bot.tools',
    ],
    ['no models', { models: undefined as never }, 'models'],
    ['a model that cannot be asked', { models: { m: { name: 'm' } as never } }, 'models.m'],
    ['a name for a model', { models: { m: 'gpt' as never } }, 'models.m'],
    ['a store that is none', { checkpointer: {} as never }, 'checkpointer'],
    ['null for a store', { checkpointer: null as never }, 'checkpointer'],
    ['a store that is not there yet', { checkpointer: Promise.resolve(store) as never }, 'checkpointer'],
    ['a view that is no function', { view: 5 as never }, 'view'],
    ['a listener that is no function', { onEvent: 'log' as never }, 'onEvent'],
    ['variables that are no schema', { variables: {} as never }, 'variables'],
    ['text for whether there are agents', { enabled: 'false' as never }, 'enabled'],
  ])('is not made with %s', (_, more, path) => {
    expect(() => createAgentFactory(options(more))).toThrow(configuration(path));
  });

  it('says what to do about a store that is a promise, and what a model is', () => {
    const checkpointer = Promise.resolve(store) as never;
    expect(() => createAgentFactory(options({ checkpointer }))).toThrow(/await it/);
    expect(() => createAgentFactory(options({ models: { m: {} as never } }))).toThrow(/\{ name, generate \}/);
  });

  it('is not made of nothing', () => {
    expect(() => createAgentFactory(undefined as never)).toThrow(expect.objectContaining({ code: 'configuration' }));
    expect(() => createAgentFactory({} as never)).toThrow(configuration('profiles'));
  });

  it('takes models and stores that are instances of classes', () => {
    class ByClass {
      readonly name = 'm';
      async generate() {
        return says('hello');
      }
    }
    const checkpointer = Object.create(store) as typeof store;
    expect(() => createAgentFactory(options({ models: { m: new ByClass() }, checkpointer })).create()).not.toThrow();
  });

  it('does not close by an option that there is not, nor within a time that is none', async () => {
    const factory = createAgentFactory(options());
    const agent = factory.create();
    for (const open of [factory, agent]) {
      await expect(open.close({ deadlineMS: 1 } as never)).rejects.toThrow(argument('deadlineMS'));
      await expect(open.close({ deadlineMs: '1' as never })).rejects.toThrow(argument('deadlineMs'));
      await expect(open.close({ deadlineMs: -1 })).rejects.toThrow(argument('deadlineMs'));
    }
    expect(await agent.run('hi')).toMatchObject({ answer: 'hello' });
  });

  it('refuses what is no thread id when the agent is made', () => {
    const factory = createAgentFactory(options());
    for (const threadId of ['', 'a\n', { $ne: null } as never]) {
      expect(() => factory.create({ threadId })).toThrow(expect.objectContaining({ code: 'invalid_thread_id' }));
    }
  });

  it('says once that a store does not keep two writers apart', () => {
    const { process } = createWorld({ conditional: false });
    const bot = process([]);
    bot.factory.create({ threadId: 'u' });
    expect(bot.warnings).toEqual([expect.stringContaining('not kept apart')]);
  });

  it('does not close the store that it was given', async () => {
    const { process } = createWorld();
    const bot = process([says('hello')]);
    await bot.factory.close();
    expect(await bot.client.load('t')).toMatchObject({ found: false });
  });
});

describe('what fails while it is told does not touch the run', () => {
  const turns = [asksFor('a'), says('done')];
  const tools = [named('a', () => 'x')];
  const broken = () => {
    throw new Error('telemetry');
  };
  const errors = async (more: Partial<AgentFactoryOptions>) => {
    const error = vi.fn();
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const bot = createWorld().process(turns, tools, { logger: { info() {}, warn() {}, error }, ...more });
    expect(await bot.agent.run('hi')).toMatchObject({ answer: 'done', durable: true });
    expect(await bot.factory.close()).toEqual({ unsaved: [] });
    await settle();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    return error.mock.calls.length;
  };

  it('a listener that throws is reported once', async () => {
    expect(await errors({ onEvent: broken })).toBe(1);
  });

  it('a listener that rejects is reported once, and ends no process', async () => {
    expect(await errors({ onEvent: () => Promise.reject(new Error('telemetry')) as never })).toBe(1);
  });

  it('a logger that throws', async () => {
    const world = createWorld();
    const bot = world.process(turns, tools, { logger: { info: broken, warn: broken, error: broken }, onEvent: broken });
    bot.client.next('save', 'fine', 'refused');
    bot.client.down();
    expect(await world.runtime.until(bot.agent.run('hi'))).toMatchObject({ answer: 'done', durable: false });
    bot.client.up();
    await world.runtime.advance(30_000);
    expect(bot.agent.status().durable).toBe(true);
  });
});

describe('what is told', () => {
  it('shows neither content nor arguments nor a secret', async () => {
    const world = createWorld();
    const logged: unknown[] = [];
    const log = (...said: unknown[]) => void logged.push(said);
    const secretive = named('a', () => {
      throw new Error('sk-secret');
    });
    const bot = world.process([asksFor('a'), says('sk-secret')], [secretive], {
      logger: { info: log, warn: log, error: log },
    });
    bot.client.next('save', { throws: new Error('redis://user:sk-secret@host') });
    bot.client.down();
    await world.runtime.until(bot.agent.run('sk-secret'));
    bot.client.up();
    await world.runtime.advance(30_000);
    expect(bot.events.length).toBeGreaterThan(5);
    expect(JSON.stringify([bot.events, logged])).not.toContain('sk-secret');
  });
});

import {
  createAgentFactory,
  createScriptedModel,
  defineTool,
  type ModelBackend,
  type ModelConnection,
} from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { agentFactoryOptions } from '../src/index.ts';
import { load, refusal } from './folder.ts';

const text = `
[default.ai.agents]
default_profile = "math"
[default.ai.agents.profiles.connections.math]
description = "Calculates."
system_prompt = "Use tools."
connection_name = "gpt4"
max_iterations = 3
max_execution_time_seconds = 1.5
tools = ["add"]
[default.ai.agents.profiles.connections.plain]
name = "Plain"
[default.ai.agents.profiles.connections.off]
enabled = false
[default.ai.llms]
default_connection_name = "local"
[default.ai.llms.connections.gpt4]
backend = "openai"
default_model = "gpt-4-turbo"
timeout = 30.0
[default.ai.llms.connections.gpt4.provider]
api_key = "S3CRET"
[default.ai.llms.connections.local]
backend = "openai"
default_model = "llama3"
[default.ai.llms.connections.unused]
backend = "nobody"
`;

function backend() {
  const connections: ModelConnection[] = [];
  const openai: ModelBackend = {
    backend: 'openai',
    create(connection) {
      connections.push(connection);
      return createScriptedModel([{ content: `from ${connection.defaultModel}` }], connection.name);
    },
  };
  return { openai, connections };
}

const add = defineTool({ name: 'add', description: 'Adds.', parameters: { type: 'object' }, execute: () => 1 });

describe('the options of the agent factory', () => {
  it('make agents that run', async () => {
    const { openai, connections } = backend();
    const options = agentFactoryOptions(await load(text), { adapters: [], modelBackends: [openai], tools: [add] });
    const factory = createAgentFactory(options);
    expect((await factory.create().run('hello')).answer).toBe('from gpt-4-turbo');
    expect((await factory.create({ profile: 'plain' }).run('hello')).answer).toBe('from llama3');
    expect(connections).toEqual([
      { name: 'gpt4', defaultModel: 'gpt-4-turbo', timeoutSeconds: 30, provider: { api_key: 'S3CRET' } },
      { name: 'local', defaultModel: 'llama3', provider: {} },
    ]);
  });

  it('hold each profile that is enabled, with the names of the core', async () => {
    const { profiles } = (await load(text)).agents;
    expect(profiles).toEqual({
      math: {
        name: 'math',
        description: 'Calculates.',
        systemPrompt: 'Use tools.',
        connectionName: 'gpt4',
        maxIterations: 3,
        maxExecutionTimeSeconds: 1.5,
        tools: ['add'],
      },
      plain: { name: 'Plain' },
    });
  });

  it('hold what persistence says of busy threads, of vanished ones and of a store that is down', async () => {
    const rest = `[default.ai.agents.persistence]
      enabled = false
      on_busy = "take_over"
      on_store_down = "wait"
      on_vanished = "stop"
      heartbeat_seconds = 2
      busy_wait_seconds = 0.5
    `;
    const { openai } = backend();
    const options = { adapters: [], modelBackends: [openai] };
    expect(agentFactoryOptions(await load(text + rest), options)).toMatchObject({
      onBusy: 'takeOver',
      onStoreDown: 'wait',
      onVanished: 'stop',
      heartbeatMs: 2_000,
      busyWaitMs: 500,
    });
    const unsaid = { onBusy: undefined, onVanished: undefined, heartbeatMs: undefined, busyWaitMs: undefined };
    expect(agentFactoryOptions(await load(text), options)).toMatchObject(unsaid);
  });

  it('refuse a heartbeat that never beats, and a way to meet a vanished thread that there is not', async () => {
    const said = (line: string) => refusal(load(`${text}[default.ai.agents.persistence]\nenabled = false\n${line}`));
    expect(await said('heartbeat_seconds = 0')).toContain('heartbeat_seconds: expected a number of seconds above 0');
    expect(await said('busy_wait_seconds = "long"')).toContain(
      'busy_wait_seconds: expected a number of seconds above 0',
    );
    expect(await said('on_vanished = "restor"')).toContain('did you mean "restore"?');
  });

  it('take a model that was given in place of a connection, and one of any other name', async () => {
    const { openai, connections } = backend();
    const own = createScriptedModel([]);
    const { models } = agentFactoryOptions(await load(text), {
      adapters: [],
      modelBackends: [openai],
      models: { gpt4: own, own },
    });
    expect(models.gpt4).toBe(own);
    expect(models.own).toBe(own);
    expect(connections.map(({ name }) => name)).toEqual(['local']);
  });

  it('agents that are disabled open nothing, and are refused when one is made', async () => {
    const disabled = text.replace('default_profile', 'enabled = false\ndefault_profile');
    const rest =
      '[default.ai.agents.persistence]\nconnection_name = "a"\n[default.database.kvstore.a]\nbackend = "redis"';
    const factory = createAgentFactory(agentFactoryOptions(await load(disabled + rest), { adapters: [] }));
    expect(() => factory.create()).toThrow(/disabled/);
  });

  it('leave it to the factory to refuse a profile, a tool or a model that is not there', async () => {
    const { openai } = backend();
    const make = async (change: (text: string) => string) =>
      createAgentFactory(
        agentFactoryOptions(await load(change(text)), { adapters: [], modelBackends: [openai], tools: [add] }),
      );
    await expect(make((t) => t.replace('tools = ["add"]', 'tools = ["adds"]'))).rejects.toThrow(/adds/);
    const noModel = await make((t) => t.replace('connection_name = "gpt4"', 'connection_name = "gpt5"'));
    expect(() => noModel.create()).toThrow(/gpt5/);
    const noProfile = await make((t) => t.replace('default_profile = "math"', 'default_profile = "maths"'));
    expect(() => noProfile.create()).toThrow(/maths/);
  });
});

describe('a model connection that an agent uses', () => {
  const make = async (from: string, to: string) => {
    const settings = await load(text.replace(from, to));
    return () => agentFactoryOptions(settings, { adapters: [], modelBackends: [backend().openai], tools: [add] });
  };

  it('needs a backend that was handed over, and says which package to install', async () => {
    const settings = await load(text);
    expect(() => agentFactoryOptions(settings, { adapters: [] })).toThrow(
      /no model backend for "openai".*Install @agent-state\/model-openai/,
    );
    expect(await make('backend = "openai"\ndefault_model = "gpt', 'backend = "other"\ndefault_model = "gpt')).toThrow(
      /"other"/,
    );
  });

  it('needs a default model, and to be enabled', async () => {
    expect(await make('default_model = "gpt-4-turbo"\n', '')).toThrow(
      'ai.llms.connections.gpt4.default_model: missing.',
    );
    expect(await make('default_model = "gpt-4-turbo"', 'enabled = false')).toThrow(/gpt4.*enabled = false/);
    expect(await make('backend = "openai"\ndefault_model = "gpt-4', 'default_model = "gpt-4')).toThrow(
      'gpt4.backend: missing.',
    );
  });

  it('is refused with a wrapper around it, unless that is disabled or the model is given', async () => {
    const router = '\n[[default.ai.llms.connections.gpt4.wrappers]]\nname = "router"\nfallback_chain = ["local"]\n';
    const { openai } = backend();
    const options = { adapters: [], modelBackends: [openai] };
    const settings = await load(text + router);
    expect(() => agentFactoryOptions(settings, options)).toThrow(
      /wrappers: router: wrappers around models are not applied/,
    );
    const off = await load(`${text}${router}enabled = false`);
    expect(agentFactoryOptions(off, options).models.gpt4?.name).toBe('gpt4');
    const models = { gpt4: createScriptedModel([]) };
    expect(agentFactoryOptions(settings, { ...options, models }).models.gpt4).toBe(models.gpt4);
    const unused = await load(text + router.replace('gpt4', 'unused'));
    expect(agentFactoryOptions(unused, options).models.unused).toBeUndefined();
  });
});

it('keys of the origin system that an agent would not obey are refused, each with its reason', async () => {
  for (const key of ['model_name = "x"', 'temperature = 0.1', 'memory_key = "x"', 'max_history_messages = 20']) {
    expect(await refusal(load(`[default.ai.agents.profiles.connections.a]\n${key}`))).toMatch(/not applied: /);
  }
});

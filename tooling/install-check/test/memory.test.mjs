import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { install } from '../src/installation.mjs';
import { publicPackages } from '../src/workspace.mjs';

const wanted = ['@agent-state/core', '@agent-state/kv-memory', '@agent-state/settings'];

vi.setConfig({ testTimeout: 100_000 });

/** @type {Awaited<ReturnType<typeof install>>} */
let installation;
beforeAll(async () => {
  installation = await install(publicPackages().filter(({ name }) => wanted.includes(name)));
});
afterAll(() => installation?.remove());

test('[S-PKG-04] without any database driver a thread is kept in memory, and another store says what to install', async () => {
  expect(installation.installed().toSorted()).toEqual([...wanted, 'smol-toml', 'valibot']);
  const { code, stdout, stderr } = await installation.runProgram('memory.mjs', program);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('Hello. system user assistant');
  expect(stdout).toContain('Install @agent-state/doc-mongo ');
});

const program = `
  import { writeFileSync } from 'node:fs';
  import { createAgentFactory, createScriptedModel } from '@agent-state/core';
  import { createMemoryCheckpointer, memoryAdapter } from '@agent-state/kv-memory';
  import { createCheckpointerFromSettings, loadSettings } from '@agent-state/settings';

  const checkpointer = createMemoryCheckpointer();
  const factory = createAgentFactory({
    profiles: { bot: { name: 'bot', systemPrompt: 'Be helpful.' } },
    defaultProfile: 'bot',
    models: { scripted: createScriptedModel([{ content: 'Hello.' }]) },
    defaultModel: 'scripted',
    checkpointer,
  });
  const { answer } = await factory.create({ threadId: 't' }).run('Hi');
  const { state } = await checkpointer.load('t');
  console.log(answer, state.history.map(({ role }) => role).join(' '));

  writeFileSync('settings.toml', \`
    [default.ai.agents.persistence]
    strategy = "document"
    connection_name = "main"
    [default.database.documents.main]
    backend = "mongo"
  \`);
  const settings = await loadSettings({ path: 'settings.toml', env: {} });
  try {
    createCheckpointerFromSettings(settings, { adapters: [memoryAdapter] });
  } catch (error) {
    console.log(error.message);
  }
`;

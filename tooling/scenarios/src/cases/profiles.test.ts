import { randomUUID } from 'node:crypto';
import {
  type AgentFactoryOptions,
  type Checkpointer,
  createThreads,
  type ModelRequest,
  type ThreadState,
} from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { calls, lines, says, startProcess, tool } from '../agent.ts';
import { dyingAt } from '../dying.ts';
import { opened, stores } from '../stores.ts';

const turns = [calls('work', {}), says('One.'), says('Two.'), says('Three.')];

/** A release of an application: its prompt and tools; what its model was shown is written down. */
function release(store: Checkpointer, systemPrompt: string, options: Partial<AgentFactoryOptions> = {}) {
  const shown: ModelRequest[] = [];
  const script = turns.map((turn) => (request: ModelRequest) => {
    shown.push(request);
    return turn;
  });
  const tools = [tool('work', () => `by ${systemPrompt}`), tool(`only_in_${systemPrompt}`, () => '')];
  const profile = { name: 'bot', systemPrompt, tools: tools.map(({ name }) => name) };
  const process = startProcess(store, script, tools, { profiles: { bot: profile }, ...options });
  const notices = () => process.events.filter(({ type }) => type === 'prompt_changed').length;
  const asked = () => shown.map(({ messages, tools: offered }) => [messages[0]?.content, offered[1]?.name]);
  return { ...process, asked, notices };
}

describe.each(stores)('on %s, a thread whose profile has changed since', (_name, openStore) => {
  const stateOf = async (store: Checkpointer, threadId: string) =>
    (await createThreads(store).get(threadId)) as ThreadState;

  it('[S-MIG-03] is resumed with the prompt and tools of the code, and keeps those it was stored with', async () => {
    const threadId = randomUUID();
    const store = opened(openStore);
    const dying = dyingAt(store, 2, 'after');
    void release(dying, 'v1', { storeCallMs: 60_000 })
      .agent(threadId)
      .run('First')
      .catch(() => {});
    await dying.died;

    const second = release(store, 'v2');
    await second.agent(threadId).resume();
    const third = release(opened(openStore), 'v2');
    await third.agent(threadId).run('Second');
    expect([...second.asked(), ...third.asked()]).toEqual([
      ['v2', 'only_in_v2'],
      ['v2', 'only_in_v2'],
    ]);
    expect([second.notices(), third.notices()]).toEqual([1, 1]);
    const { history, agent_profile } = await stateOf(store, threadId);
    expect(agent_profile).toBe('bot');
    expect(lines(history)).toEqual([
      'system: v1',
      'user: First',
      'assistant: null',
      'tool: by v2',
      'assistant: One.',
      'user: Second',
      'assistant: Two.',
    ]);
  });

  it("[S-MIG-03] is shown its own prompt again and again, where systemPrompt is 'stored'", async () => {
    const threadId = randomUUID();
    const store = opened(openStore);
    await release(store, 'v1').agent(threadId).run('First');
    for (const input of ['Second', 'Third']) {
      const later = release(store, 'v2', { systemPrompt: 'stored' });
      await later.agent(threadId).run(input);
      expect([later.asked(), later.notices()]).toEqual([[['v1', 'only_in_v2']], 1]);
    }
  });

  it('[S-MIG-03] and that another profile goes on with keeps the name of the one that began it', async () => {
    const threadId = randomUUID();
    const store = opened(openStore);
    await release(store, 'v1').agent(threadId).run('First');
    const profiles = { other: { name: 'other', systemPrompt: 'v3', tools: ['work'] } };
    const other = release(store, 'v3', { profiles, defaultProfile: 'other' });
    await other.agent(threadId).run('Second');
    expect([other.asked()[0]?.[0], other.notices()]).toEqual(['v3', 1]);
    expect((await stateOf(store, threadId)).agent_profile).toBe('bot');
  });
});

import { AgentStateError, type Checkpointer, createThreads } from '@agent-state/core';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { calls, createGate, lines, says, startProcess, tool } from './agent.ts';

const shipped = tool('check_order_status', () => ({ status: 'shipped' }));

const roles = async (checkpointer: Checkpointer, threadId: string) =>
  lines((await createThreads(checkpointer).get(threadId))?.history);

describe('a run', () => {
  it('thinks, acts, thinks, answers, and saves every step', async () => {
    const checkpointer = createMemoryCheckpointer();
    const { agent, events } = startProcess(
      checkpointer,
      [calls('check_order_status', { id: 123 }), says('It has shipped.')],
      [shipped],
    );
    const result = await agent('t').run('Check order #123');
    expect(result).toMatchObject({ status: 'done', answer: 'It has shipped.', durable: true, step: 3, threadId: 't' });
    expect(await roles(checkpointer, 't')).toEqual([
      'system: Be helpful.',
      'user: Check order #123',
      'assistant: null',
      'tool: {"status":"shipped"}',
      'assistant: It has shipped.',
    ]);
    const steps = await createThreads(checkpointer).steps('t');
    expect(steps.map(({ step, phase, history_length }) => [step, phase, history_length])).toEqual([
      [1, 'think', 3],
      [2, 'act', 4],
      [3, 'think', 5],
    ]);
    expect(events.map(({ type }) => type)).toEqual([
      'run_started',
      'thought',
      'tool_started',
      'tool_finished',
      'acted',
      'thought',
      'run_ended',
    ]);
  });

  it('costs one save a step, and one for the input', async () => {
    const checkpointer = createMemoryCheckpointer();
    let saves = 0;
    const counting = {
      ...checkpointer,
      save(...args: Parameters<Checkpointer['save']>) {
        saves += 1;
        return checkpointer.save(...args);
      },
    };
    const { agent } = startProcess(counting, [calls('check_order_status', {}), says('Done.')], [shipped]);
    await agent('t').run('Go');
    expect(saves).toBe(4);
  });

  it('continues the stored history on the next run, in another process', async () => {
    const checkpointer = createMemoryCheckpointer();
    const turns = [says('Hello.'), says('Hello again.')];
    await startProcess(checkpointer, turns).agent('t').run('Hi');
    const result = await startProcess(checkpointer, turns)
      .agent('t')
      .run('Hi again', { history: [{ role: 'user', content: 'not this' }] });
    expect(result.answer).toBe('Hello again.');
    expect(await roles(checkpointer, 't')).toEqual([
      'system: Be helpful.',
      'user: Hi',
      'assistant: Hello.',
      'user: Hi again',
      'assistant: Hello again.',
    ]);
  });

  it('feeds an error of a tool, an unknown tool and bad arguments back to the model', async () => {
    const checkpointer = createMemoryCheckpointer();
    const broken = tool('broken', () => {
      throw new Error('no such order');
    });
    const { agent } = startProcess(
      checkpointer,
      [calls('broken', {}, 'unknown', {}, 'broken', '{"cut'), says('Sorry.')],
      [broken],
    );
    await agent('t').run('Go');
    expect((await roles(checkpointer, 't'))?.slice(3, 6)).toEqual([
      'tool: Error: no such order',
      'tool: Error: There is no tool named unknown.',
      'tool: Error: The arguments are not JSON.',
    ]);
  });

  it('makes a failed result of what JSON cannot carry, and goes on', async () => {
    const checkpointer = createMemoryCheckpointer();
    const dated = tool('dated', () => ({ placed_at: new Date(0) }));
    const { agent } = startProcess(checkpointer, [calls('dated', {}), says('Never mind.')], [dated]);
    expect((await agent('t').run('Go')).durable).toBe(true);
    expect((await roles(checkpointer, 't'))?.[3]).toBe(
      'tool: Error: result.placed_at: Date; JSON cannot carry it exactly. Return JSON.',
    );
  });

  it('asks again after an answer that cannot be stored, and keeps nothing of it', async () => {
    const checkpointer = createMemoryCheckpointer();
    const answers = ['bad \ud800', 'Good.'];
    const { agent } = startProcess(checkpointer, [() => says(answers.shift() ?? '')]);
    expect((await agent('t').run('Hi')).answer).toBe('Good.');
    expect(await roles(checkpointer, 't')).toEqual(['system: Be helpful.', 'user: Hi', 'assistant: Good.']);
  });

  it('keeps the order of calls, whatever the order in which they end, and bounds how many run at once', async () => {
    const checkpointer = createMemoryCheckpointer();
    let running = 0;
    let most = 0;
    const slow = tool('slow', async (args) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, (args as { ms: number }).ms));
      running -= 1;
      return String((args as { ms: number }).ms);
    });
    const pairs = [30, 5, 20, 1, 10].flatMap((ms) => ['slow', { ms }]);
    const { agent } = startProcess(checkpointer, [calls(...pairs), says('Done.')], [slow], { toolConcurrency: 3 });
    await agent('t').run('Go');
    expect((await roles(checkpointer, 't'))?.slice(3, 8)).toEqual([
      'tool: 30',
      'tool: 5',
      'tool: 20',
      'tool: 1',
      'tool: 10',
    ]);
    expect(most).toBe(3);
  });

  it('applies variables in call order, drops those of a failed call, and saves them with the step', async () => {
    const checkpointer = createMemoryCheckpointer();
    const set = tool('set', (args, { variables }) => {
      const { value, fail } = args as { value: string; fail?: boolean };
      variables.set('last', value);
      if (fail) throw new Error('failed');
      return variables.get('last');
    });
    const turn = calls('set', { value: 'a' }, 'set', { value: 'b' }, 'set', { value: 'c', fail: true });
    const { agent } = startProcess(checkpointer, [turn, says('Done.')], [set]);
    await agent('t').run('Go');
    const threads = createThreads(checkpointer);
    expect((await threads.get('t'))?.variables).toEqual({ last: 'b' });
    expect((await threads.stateAt('t', 2)).variables).toEqual({ last: 'b' });
    expect(await threads.stateAt('t', 1)).toMatchObject({ current_step: 1, variables: {} });
  });

  it('checks variables and arguments by a Standard Schema', async () => {
    const checkpointer = createMemoryCheckpointer();
    const set = tool('set', (args, { variables }) => variables.set('age', (args as { age: unknown }).age), {
      parameters: v.object({ age: v.union([v.number(), v.string()]) }),
    });
    const turns = [calls('set', { age: 'old' }), calls('set', {}), calls('set', { age: 7 }), says('Done.')];
    const { agent } = startProcess(checkpointer, turns, [set], {
      variables: v.object({ age: v.optional(v.number()) }),
    });
    await agent('t').run('Go');
    const state = await createThreads(checkpointer).get('t');
    expect(state?.variables).toEqual({ age: 7 });
    expect(
      state?.history.filter(({ role }) => role === 'tool').map(({ content }) => `${content as string}`.slice(0, 36)),
    ).toEqual(['Error: the variables were refused: a', 'Error: The arguments were refused: a', 'null']);
  });

  it('stops at max_iterations, marks the run and leaves a history that the next input can use', async () => {
    const checkpointer = createMemoryCheckpointer();
    const turns = [calls('check_order_status', {}), calls('check_order_status', {}), says('Now.')];
    const profiles = { bot: { name: 'bot', tools: ['check_order_status'], maxIterations: 2 } };
    const { agent } = startProcess(checkpointer, turns, [shipped], { profiles });
    await expect(agent('t').run('Go')).rejects.toMatchObject({ code: 'max_iterations', threadId: 't' });
    const state = await createThreads(checkpointer).get('t');
    expect(state?.run).toMatchObject({ phase: 'failed', owner: null, error: { code: 'max_iterations' } });
    expect((await agent('t').run('And now?')).answer).toBe('Now.');
    const input = (await createThreads(checkpointer).get('t'))?.history.findLast(({ role }) => role === 'user');
    expect(input?.metadata?.previous_run).toMatchObject({ outcome: 'failed', code: 'max_iterations' });
  });

  it('stops at max_execution_time_seconds while a tool ignores its signal', async () => {
    const checkpointer = createMemoryCheckpointer();
    const endless = tool('endless', () => new Promise(() => {}));
    const profiles = { bot: { name: 'bot', tools: ['endless'], maxExecutionTimeSeconds: 0.1 } };
    const { agent } = startProcess(checkpointer, [calls('endless', {}), says('Later.')], [endless], { profiles });
    await expect(agent('t').run('Go')).rejects.toMatchObject({ code: 'max_execution_time' });
    expect((await agent('t').run('And now?')).answer).toBe('Later.');
    expect((await roles(checkpointer, 't'))?.slice(-3)).toEqual([
      'tool: Unknown: this call may or may not have run; its result was lost.',
      'user: And now?',
      'assistant: Later.',
    ]);
  });

  it('is aborted by the caller, in the model and in a tool', async () => {
    const checkpointer = createMemoryCheckpointer();
    const controller = new AbortController();
    const turn = () => {
      controller.abort();
      return new Promise<never>(() => {});
    };
    const { agent } = startProcess(checkpointer, [turn]);
    await expect(agent('t').run('Go', { signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' });
    expect((await createThreads(checkpointer).get('t'))?.run?.phase).toBe('cancelled');
  });

  it('fails a tool that takes longer than its timeout', async () => {
    const checkpointer = createMemoryCheckpointer();
    let aborted = false;
    const slow = tool(
      'slow',
      (_args, { signal }) => new Promise(() => signal.addEventListener('abort', () => (aborted = true))),
      { timeoutMs: 20 },
    );
    const { agent } = startProcess(checkpointer, [calls('slow', {}), says('Done.')], [slow]);
    await agent('t').run('Go');
    expect((await roles(checkpointer, 't'))?.[3]).toBe('tool: Error: The tool took longer than 20 ms.');
    expect(aborted).toBe(true);
  });

  it('queues runs of one process on one thread', async () => {
    const checkpointer = createMemoryCheckpointer();
    const { agent } = startProcess(checkpointer, [says('1'), says('2'), says('3')]);
    const results = await Promise.all(['a', 'b', 'c'].map((input) => agent('t').run(input)));
    expect(results.map(({ answer }) => answer)).toEqual(['1', '2', '3']);
    expect(await roles(checkpointer, 't')).toHaveLength(7);
  });

  it('shows the model the current prompt, keeps the stored one, and says that they differ', async () => {
    const checkpointer = createMemoryCheckpointer();
    await startProcess(checkpointer, [says('1')])
      .agent('t')
      .run('a');
    const shown: unknown[] = [];
    const turn = ({ messages }: { messages: readonly { content: unknown }[] }) => {
      shown.push(messages[0]?.content);
      return says('2');
    };
    const profiles = { bot: { name: 'bot', systemPrompt: 'Be brief.' } };
    const { agent, events } = startProcess(checkpointer, [says('1'), turn], [], { profiles });
    await agent('t').run('b');
    expect(shown).toEqual(['Be brief.']);
    expect((await roles(checkpointer, 't'))?.[0]).toBe('system: Be helpful.');
    expect(events.some(({ type }) => type === 'prompt_changed')).toBe(true);
  });

  it('streams the text, the events and the result', async () => {
    const { agent } = startProcess(
      createMemoryCheckpointer(),
      [calls('check_order_status', {}), says('It has shipped.')],
      [shipped],
    );
    const seen = [];
    for await (const event of agent('t').stream('Go')) seen.push(event);
    expect(seen.map(({ type }) => type)).toContain('text');
    expect(seen.at(-1)).toMatchObject({ type: 'result', result: { answer: 'It has shipped.', durable: true } });
  });

  it('streams that the store is out of reach, and that it is back', async () => {
    const checkpointer = createMemoryCheckpointer();
    let down = false;
    const fragile: Checkpointer = {
      ...checkpointer,
      async save(...args) {
        if (down) throw new AgentStateError('unavailable', 'Out of reach.', { applied: 'no' });
        return checkpointer.save(...args);
      },
    };
    const breaks = tool('breaks', () => {
      down = true;
    });
    const mends = tool('mends', async () => {
      down = false;
      await expect.poll(() => process.agent('t').status().volatile).toBe(false);
    });
    const turns = [calls('breaks', {}), calls('mends', {}), says('Done.')];
    const process = startProcess(fragile, turns, [breaks, mends], { storeCallMs: 50, storeBudgetMs: 100 });
    const seen = [];
    for await (const { type } of process.agent('t').stream('Go')) seen.push(type);
    expect(seen).toEqual(expect.arrayContaining(['volatile', 'rejoined', 'result']));
  });

  it('takes an answer of nothing for a model error', async () => {
    const { agent } = startProcess(createMemoryCheckpointer(), [() => ({}) as never]);
    await expect(agent('t').run('Go')).rejects.toMatchObject({ code: 'model' });
  });

  it('refuses a time to live that is none when the factory is made', () => {
    const ttl = { ttlMs: 0, pausedTtlMs: null };
    expect(() => startProcess(createMemoryCheckpointer(), [], [], { ttl })).toThrow(/ttl/);
  });

  it('runs without a thread id in memory, and says that it is not durable', async () => {
    const { agent, warnings } = startProcess(createMemoryCheckpointer(), [says('1'), says('2')]);
    const bare = agent();
    expect(await bare.run('a')).toMatchObject({ answer: '1', durable: false });
    expect(await bare.run('b')).toMatchObject({ answer: '2', durable: false });
    expect(warnings).toEqual([]);
    expect(() => bare.checkpointer).toThrow(/no store/);
  });

  it('refuses bad input before anything is written', async () => {
    const checkpointer = createMemoryCheckpointer();
    const { agent } = startProcess(checkpointer, []);
    await expect(agent('t').run('a \ud800')).rejects.toMatchObject({ code: 'not_serializable', path: 'input.content' });
    await expect(agent('t').run(7 as unknown as string)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(() => agent('')).toThrow(expect.objectContaining({ code: 'invalid_thread_id' }));
    expect(await roles(checkpointer, 't')).toBeUndefined();
  });

  it('refuses an unknown profile, model or tool when the agent is made', () => {
    const make = (options: object) => () => startProcess(undefined, [], [], options).agent('t');
    expect(make({ defaultProfile: 'nobody' })).toThrow(/no profile "nobody"/);
    expect(make({ defaultModel: 'none' })).toThrow(/names the model "none"/);
    expect(make({ enabled: false })).toThrow(/disabled/);
    expect(make({ profiles: { bot: { name: 'bot', tools: ['x'] } } })).toThrow(/names the tool "x"/);
  });
});

describe('a deleted thread', () => {
  it('starts afresh at once, and a run from before the delete is refused', async () => {
    const checkpointer = createMemoryCheckpointer();
    const first = startProcess(checkpointer, [says('1'), says('2')]);
    const agent = first.agent('t');
    await agent.run('a');
    await agent.checkpointer.delete('t');
    expect((await agent.run('b')).answer).toBe('1');
    expect(await roles(checkpointer, 't')).toEqual(['system: Be helpful.', 'user: b', 'assistant: 1']);
  });

  it('stops the run that was at work on it', async () => {
    const checkpointer = createMemoryCheckpointer();
    const turn = async () => {
      await checkpointer.delete('t');
      return says('too late');
    };
    const { agent } = startProcess(checkpointer, [turn]);
    await expect(agent('t').run('a')).rejects.toMatchObject({ code: 'deleted' });
    expect(await roles(checkpointer, 't')).toBeUndefined();
  });
});

describe('two processes on one thread', () => {
  it('the one that is taken over stops at its next save and starts no further tool', async () => {
    const checkpointer = createMemoryCheckpointer();
    const started: string[] = [];
    const gate = createGate();
    const waits = tool('waits', async (_args, { attempt }) => {
      started.push(`waits ${attempt}`);
      if (attempt === 0) await gate.passed;
      return `attempt ${attempt}`;
    });
    const turns = [calls('waits', {}), calls('waits', {}), says('Done.')];
    const slow = startProcess(checkpointer, turns, [waits]);
    const run = slow.agent('t').run('a');
    await expect.poll(() => started.length).toBe(1);
    const other = startProcess(checkpointer, turns, [tool('waits', () => 'by the other')]);
    await other.agent('t').run('b', { onBusy: 'takeOver' });
    gate.open();
    await expect(run).rejects.toMatchObject({ code: 'taken_over' });
    expect(started).toEqual(['waits 0']);
    expect((await roles(checkpointer, 't'))?.slice(2)).toEqual([
      'assistant: null',
      'tool: by the other',
      'user: b',
      'assistant: null',
      'tool: by the other',
      'assistant: Done.',
    ]);
  });

  it('refuses, where asked to, a thread that another process works on', async () => {
    const checkpointer = createMemoryCheckpointer();
    let busy: unknown;
    const other = startProcess(checkpointer, []);
    const turn = async () => {
      busy = await other
        .agent('t')
        .run('b', { onBusy: 'throw' })
        .catch((error: unknown) => error);
      return says('Done.');
    };
    await startProcess(checkpointer, [turn]).agent('t').run('a');
    expect(busy).toMatchObject({ code: 'busy' });
  });
});

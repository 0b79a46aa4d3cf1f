import { type Checkpointer, createThreads, type Message, type ModelRequest, type Tool } from '@agent-state/core';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { afterEach, describe, expect, it } from 'vitest';
import { calls, says, startProcess, tool } from './agent.ts';
import { dyingAt } from './dying.ts';

const open: Checkpointer[] = [];
afterEach(async () => {
  for (const checkpointer of open.splice(0)) await checkpointer.close();
});

function keep(checkpointer: Checkpointer): Checkpointer {
  open.push(checkpointer);
  return checkpointer;
}

const stores = {
  memory: () => keep(createMemoryCheckpointer()),
  sqlite: () => keep(createSqliteCheckpointer({ path: ':memory:' })),
};

/** What ran, over all processes: the outside world's own account. */
interface Ledger {
  readonly keys: string[];
  modelCalls: number;
}

const slowest = { toolConcurrency: 1, storeCallMs: 60_000 };
const turns = [calls('work', { n: 1 }, 'work', { n: 2 }), calls('work', { n: 3 }), says('Done.')];

function world(): {
  readonly ledger: Ledger;
  readonly work: Tool;
  readonly script: ((request: ModelRequest) => ReturnType<typeof says>)[];
} {
  const ledger: Ledger = { keys: [], modelCalls: 0 };
  const work = tool('work', (args, { idempotencyKey, variables }) => {
    ledger.keys.push(idempotencyKey);
    variables.set(`done ${(args as { n: number }).n}`, true);
    return `result ${(args as { n: number }).n}`;
  });
  const script = turns.map((turn) => () => {
    ledger.modelCalls += 1;
    return turn;
  });
  return { ledger, work, script };
}

async function expected(): Promise<readonly Message[]> {
  const checkpointer = createMemoryCheckpointer();
  const { work, script } = world();
  await startProcess(checkpointer, script, [work]).agent('t').run('Go');
  return (await createThreads(checkpointer).get('t'))?.history ?? [];
}

const bare = (history: readonly Message[] | undefined) =>
  history?.map(({ role, content, name, metadata }) => [
    role,
    content,
    name,
    metadata?.tool_calls,
    metadata?.tool_call_id,
  ]);

/** The saves of this run: W0, W1, W3 (the first of two), W4, W1, W4, W1. */
const saves = ['W0', 'W1', 'W3', 'W4', 'W1 again', 'W4 again', 'W1 answer'];

describe.each(Object.entries(stores))('on %s, a process that died', (_name, openStore) => {
  const points = saves.flatMap((save, index) =>
    (['before', 'after'] as const).map((when) => ({ save, nth: index + 1, when })),
  );

  it.each(points)(
    '$when $save was stored: the thread ends as if it had not, and no finished tool runs again',
    async ({ nth, when }) => {
      const store = openStore();
      const { work, script, ledger } = world();
      const dying = dyingAt(store, nth, when);
      const first = startProcess(dying, script, [work], slowest);
      void first
        .agent('t')
        .run('Go')
        .catch(() => {});
      await dying.died;

      const kept =
        (await createThreads(store).get('t'))?.run?.calls.filter(({ result }) => result).map(({ key }) => key) ?? [];
      const second = startProcess(store, script, [work]);
      if (nth === 1 && when === 'before') {
        await expect(second.agent('t').resume()).rejects.toMatchObject({ code: 'not_found' });
        await second.agent('t').run('Go', { onBusy: 'takeOver' });
      } else {
        expect(await second.agent('t').resume()).toMatchObject({ answer: 'Done.', durable: true });
      }
      const state = await createThreads(store).get('t');
      expect(bare(state?.history)).toEqual(bare(await expected()));
      expect(state?.variables).toEqual({ 'done 1': true, 'done 2': true, 'done 3': true });
      expect(state?.run).toMatchObject({ phase: 'done', owner: null, calls: [] });
      for (const key of kept) expect(ledger.keys.filter((other) => other === key)).toHaveLength(1);
      expect(new Set(ledger.keys).size).toBe(nth === 1 && when === 'before' ? ledger.keys.length : 3);
    },
  );

  it('after the answer was stored: the stored answer, without a model call, a tool or a write (A12)', async () => {
    const store = openStore();
    const { work, script, ledger } = world();
    await startProcess(store, script, [work]).agent('t').run('Go');
    const before = await store.peek('t');
    const { modelCalls } = ledger;
    const second = startProcess(store, script, [work]);
    expect(await second.agent('t').resume()).toMatchObject({ answer: 'Done.', durable: true });
    expect(ledger.modelCalls).toBe(modelCalls);
    expect(await store.peek('t')).toEqual(before);
  });

  it('in Act, and then a new input: it follows the results', async () => {
    const store = openStore();
    const { work, script } = world();
    const dying = dyingAt(store, 2, 'after');
    void startProcess(dying, script, [work], slowest)
      .agent('t')
      .run('Go')
      .catch(() => {});
    await dying.died;
    await startProcess(store, script, [work]).agent('t').run('And more', { onBusy: 'takeOver' });
    const roles = (await createThreads(store).get('t'))?.history.map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user', 'assistant', 'tool', 'assistant']);
  });

  it('before each of two inputs was settled: both are there once, in order, after the results', async () => {
    const store = openStore();
    const { work, script } = world();
    for (const [input, nth] of [
      ['Go', 2],
      ['first', 1],
      ['second', 1],
    ] as const) {
      const dying = dyingAt(store, nth, 'after');
      void startProcess(dying, script, [work], slowest)
        .agent('t')
        .run(input, { onBusy: 'takeOver' })
        .catch(() => {});
      await dying.died;
    }
    await startProcess(store, script, [work]).agent('t').resume();
    const history = (await createThreads(store).get('t'))?.history ?? [];
    expect(history.map(({ role, content }) => (role === 'user' ? content : role)).slice(1, 7)).toEqual([
      'Go',
      'assistant',
      'tool',
      'tool',
      'first',
      'second',
    ]);
  });

  it('in the same call every time: the call is given up after maxAttempts, and the thread goes on (A11)', async () => {
    const store = openStore();
    const { script } = world();
    const started: number[] = [];
    const deadly = tool('work', (_args, { attempt }) => {
      started.push(attempt);
      return new Promise<never>(() => {});
    });
    await runUntilDead(store, script, deadly, started, (agent) => agent.run('Go'));
    for (let death = 2; death <= 3; death += 1)
      await runUntilDead(store, script, deadly, started, (agent) => agent.resume());
    const alive = startProcess(store, script, [tool('work', () => 'alive')]);
    await alive.agent('t').resume();
    expect(started).toEqual([0, 1, 2]);
    const results = (await createThreads(store).get('t'))?.history.filter(({ role }) => role === 'tool');
    expect(results?.[0]?.content).toMatch(
      /^Error: Given up: the process of this call died, or was taken over, 3 times/,
    );
  });
});

type Agent = ReturnType<ReturnType<typeof startProcess>['agent']>;

/** A process that dies in its tool: it is never heard of again. */
async function runUntilDead(
  store: Checkpointer,
  script: Parameters<typeof startProcess>[1],
  deadly: Tool,
  started: readonly number[],
  begin: (agent: Agent) => Promise<unknown>,
): Promise<void> {
  const before = started.length;
  void begin(startProcess(store, script, [deadly], { toolConcurrency: 1 }).agent('t'));
  await expect.poll(() => started.length).toBe(before + 1);
}

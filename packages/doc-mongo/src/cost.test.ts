import { randomBytes } from 'node:crypto';
import { calling, step, toolResult } from '@agent-state/conformance/fixtures';
import type { Checkpointer, Message, Position } from '@agent-state/core';
import { BSON, type MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { absent, acting, idle, mongoUrl, ownDatabase, rawClient, sharedUrl, state } from '../test/support.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

interface Meter {
  readonly calls: string[];
  bytes: number;
}

/** Counts what the client sends: every command, by name and size. */
function metered(url: string): { client: MongoClient; meter: Meter } {
  const client = rawClient(url, { monitorCommands: true });
  const meter: Meter = { calls: [], bytes: 0 };
  client.on('commandStarted', ({ commandName, command }) => {
    meter.calls.push(commandName);
    meter.bytes += BSON.calculateObjectSize(command, { ignoreUndefined: true });
  });
  return { client, meter };
}

const steps = 501;
const message = (index: number): Message => ({
  role: index % 2 ? 'assistant' : 'user',
  content: `${index}:`.padEnd(2_000, 'x'),
});

describe.skipIf(mongoUrl === undefined)('what a thread costs on the wire', () => {
  const { client, meter } = metered(sharedUrl);
  const { database } = ownDatabase(client);
  const store = createMongoCheckpointer({ client, database });

  test('501 steps of 2 KB: 1.1 calls a save, 1.8 MB in all, step 400 costs what step 20 costs', async () => {
    await store.peek('warm up: connecting and indexing are not what is measured');
    meter.calls.length = 0;
    meter.bytes = 0;
    const bytesOfStep = await runSteps(store, meter);
    const { calls, bytes } = meter;
    console.info(
      `${steps} saves: ${calls.length} calls, ${(bytes / 1e6).toFixed(3)} MB; step 20: ${bytesOfStep[20]} bytes, step 400: ${bytesOfStep[400]} bytes`,
    );
    expect(calls.length / steps).toBeLessThanOrEqual(1.1);
    expect(bytes).toBeLessThanOrEqual(1_800_000);
    const [early, late] = [bytesOfStep[20] as number, bytesOfStep[400] as number];
    expect(Math.abs(late - early) / early).toBeLessThan(0.05);
  });

  test('a load takes two calls, and one while nothing is sealed', async () => {
    meter.calls.length = 0;
    const loaded = await createMongoCheckpointer({ client, database }).load('long');
    expect(loaded.found && loaded.state.history.length).toBe(steps);
    expect(meter.calls.filter((name) => name === 'find' || name === 'getMore')).toEqual(['find', 'find']);
    await store.save('short', { state: state([message(0)]), base: absent });
    meter.calls.length = 0;
    await store.load('short');
    expect(meter.calls).toEqual(['find']);
  });

  test('a result that was saved ahead of its turn does not travel again', async () => {
    const big = 'y'.repeat(100_000);
    const history = [message(0), calling('a', 'b')];
    let position = await store.save('ahead', {
      state: state(history, { run: acting({ a: undefined, b: undefined }) }),
      base: absent,
    });
    const results = { a: toolResult('a', big), b: toolResult('b', big) };
    for (const run of [acting({ a: undefined, b: results.b }), acting(results)]) {
      position = await store.save('ahead', { state: state(history, { run }), base: position, appendedFrom: 2 });
    }
    meter.bytes = 0;
    const settled = state([...history, results.a, results.b], { run: idle });
    await store.save('ahead', { state: settled, base: position, appendedFrom: 2 });
    expect(meter.bytes).toBeLessThan(3_000);
    const loaded = await store.load('ahead');
    expect(loaded.found && loaded.state.history).toEqual(settled.history);
  });
});

async function runSteps(store: Checkpointer, meter: Meter): Promise<number[]> {
  const history: Message[] = [];
  const bytesOfStep: number[] = [];
  let base: Position | undefined;
  for (let index = 0; index < steps; index += 1) {
    history.push(message(index));
    const before = meter.bytes;
    base = await store.save('long', {
      state: state(history, {
        current_step: index,
        run: { ...idle, owner_write: randomBytes(16).toString('base64url') },
      }),
      base: base ?? absent,
      appendedFrom: index,
      variablesChanged: false,
      steps: [{ ...step(index), usage: { input_tokens: 1_000, output_tokens: 100 } }],
    });
    bytesOfStep.push(meter.bytes - before);
  }
  return bytesOfStep;
}

import { AgentStateError, type Message, type Model, type ModelAnswer, type ToolCall } from '@agent-state/core';
import type { Process } from './process.ts';
import { hash } from './random.ts';
import { never, rest } from './rest.ts';
import { toolNames } from './tools.ts';
import { atBoundary, type World } from './world.ts';

/** What the model says is a function of the history, so that every process is told the same. */
export function createModel(world: World, process: Process): Model {
  const { random, weather } = world;
  return {
    name: 'model',
    generate: ({ messages, signal }) =>
      atBoundary(world, process, 'think', async () => {
        await rest(world, process, random.chance(0.2) ? random.next() * 14_000 : random.next() * 800);
        if (signal.aborted) return never();
        if (!weather.healed && random.chance(0.02)) throw new AgentStateError('model', 'As the world wants it.');
        return answerTo(world.seed, world.mode === 'killer', messages);
      }),
  };
}

export function answerTo(seed: number, killing: boolean, messages: readonly Message[]): ModelAnswer {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const content = messages[last]?.content;
  const input = typeof content === 'string' ? content : '';
  const turn = messages.slice(last).filter(({ role }) => role === 'assistant').length;
  if (turn >= hash(`${seed}|${input}`) % 4) return { content: `answer ${turn} to ${input}` };
  const dice = hash(`${seed}|${input}|${turn}`);
  const calls = Array.from({ length: 1 + (dice % 3) }, (_, index) => callOf(`${dice}#${index}`, index, killing));
  return { content: `turn ${turn} of ${input}`, toolCalls: calls };
}

/** Models name their calls alike, turn after turn. */
function callOf(text: string, index: number, killing: boolean): ToolCall {
  const dice = hash(text);
  const names = killing && dice % 3 === 0 ? ['killer'] : toolNames;
  const name = names[(dice >>> 3) % names.length] as string;
  return { id: `c${index}`, type: 'function', function: { name, arguments: JSON.stringify({ dice }) } };
}

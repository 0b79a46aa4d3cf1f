import { createHash } from 'node:crypto';
import { type Checkpointer, createAgentFactory, type Logger, type Model, type Tool } from '@agent-state/core';

/** The length of a message's text. */
const textLength = 2_048;

/**
 * Runs an agent for so many steps (an odd number): Think and Act in turn, a message of about 2 KB each, and an answer
 * of that size at the end.
 */
export async function runLoop(
  checkpointer: Checkpointer,
  threadId: string,
  { steps, logger }: { readonly steps: number; readonly logger: Logger },
): Promise<void> {
  const factory = createAgentFactory({
    profiles: { loop: { name: 'loop', tools: ['note'], maxIterations: steps, maxExecutionTimeSeconds: 600 } },
    models: { loop: model(steps) },
    defaultModel: 'loop',
    tools: [note],
    checkpointer,
    logger,
    storeCallMs: 30_000,
    storeBudgetMs: 60_000,
    onStoreDown: 'throw',
  });
  await factory.create({ profile: 'loop', threadId }).run('Begin.');
}

const note: Tool = {
  name: 'note',
  description: 'Takes a note.',
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
  execute: (_args, { callId }) => textFor(`result of ${callId}`),
};

function model(steps: number): Model {
  return {
    name: 'loop',
    async generate({ messages }) {
      // One message before the first step, and one a step.
      const step = messages.length;
      if (step >= steps) return { content: textFor('answer') };
      const id = `call_${step}`;
      const call = { name: 'note', arguments: JSON.stringify({ text: textFor(id) }) };
      return { content: null, toolCalls: [{ id, type: 'function', function: call }] };
    },
  };
}

/** Text that has no pattern, so that nothing on the way can make it smaller; the same for the same words. */
function textFor(words: string): string {
  const bytes = createHash('shake256', { outputLength: (textLength * 3) / 4 })
    .update(words)
    .digest();
  return bytes.toString('base64url');
}

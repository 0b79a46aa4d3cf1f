import type { Message } from '../../state/schema.ts';

/**
 * Messages as the model is shown them: it finds its own arguments in its call, so where a person set others the result
 * says so, in front of its content.
 */
export function withArgumentsTold(messages: readonly Message[]): readonly Message[] {
  return messages.some(otherArguments) ? messages.map(told) : messages;
}

function otherArguments({ role, metadata }: Message): string | undefined {
  return role === 'tool' ? metadata?.proposed_arguments : undefined;
}

function told(message: Message): Message {
  const args = otherArguments(message);
  if (args === undefined) return message;
  const text = `[A person set the arguments of this call to ${args}.]`;
  const { content } = message;
  if (content === null) return { ...message, content: text };
  return {
    ...message,
    content: typeof content === 'string' ? `${text} ${content}` : [{ type: 'text', text }, ...content],
  };
}

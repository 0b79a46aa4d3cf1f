import type { Message, Model, ModelAnswer, ModelBackend, ModelRequest } from '@agent-state/core';

/**
 * A stand-in for a language model that needs no key: a few rules over the last messages. It keeps nothing between
 * calls, as a real one does, so it goes on wherever a thread was resumed.
 */
export const scriptedBackend: ModelBackend = Object.freeze({
  backend: 'scripted',
  create: ({ name }: { readonly name: string }): Model => ({
    name,
    async generate(request: ModelRequest): Promise<ModelAnswer> {
      const answer = reply(request.messages);
      if (typeof answer.content === 'string') request.onText?.(answer.content);
      return answer;
    },
  }),
});

export function reply(messages: readonly Message[]): ModelAnswer {
  const last = messages.at(-1);
  if (last?.role === 'tool') return afterTool(messages, last);
  const text = said(last);
  const order = orderIn(text);
  if (order !== undefined) return call('look_up_order', { order });
  return {
    content: 'I can look up an order, replace a broken item or pay it back. Which order is it about (1042, say)?',
  };
}

function afterTool(messages: readonly Message[], result: Message): ModelAnswer {
  const request = said(messages.findLast(({ role }) => role === 'user'));
  const [, refusal] = /^Rejected: (.*)/s.exec(said(result)) ?? [];
  if (refusal !== undefined) return { content: `The shop does not want that: ${refusal}` };
  const found = JSON.parse(said(result).replace(/^Error.*/, '{"error":"I could not do that."}'));
  if (found.error !== undefined) return { content: `${found.error} Is the number right?` };
  if (result.name === 'book_replacement')
    return { content: `A replacement is on its way; its number is ${found.booking}.` };
  if (result.name === 'book_refund')
    return { content: `The money is on its way back; the number is ${found.booking}.` };
  const { order, price: amount } = found;
  if (/refund|money back/i.test(request)) return call('book_refund', { order, amount });
  if (/broken|replace|cracked/i.test(request)) return call('book_replacement', { order });
  return { content: `Order ${order} is ${found.item}: ${found.status}.` };
}

function call(name: string, args: { readonly order: string; readonly amount?: number }): ModelAnswer {
  const id = `call_${name}_${args.order}`;
  return { content: null, toolCalls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }] };
}

function orderIn(text: string): string | undefined {
  return /\d{3,}/.exec(text)?.[0];
}

function said(message: Message | undefined): string {
  return typeof message?.content === 'string' ? message.content : '';
}

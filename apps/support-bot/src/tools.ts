import { defineTool, type Tool } from '@agent-state/core';
import * as v from 'valibot';
import type { OrderSystem } from './order-system.ts';

const orderArguments = v.object({ order: v.pipe(v.string(), v.regex(/^\d+$/, 'an order number')) });
const orderJsonSchema = {
  type: 'object',
  properties: { order: { type: 'string', description: 'The order number, digits only.' } },
  required: ['order'],
};

/** The bot's tools. `beforeReturn` runs when a tool's work is done and its result is not given yet: the demo strikes there. */
export function orderTools(
  system: OrderSystem,
  beforeReturn: (tool: string) => Promise<void> = async () => {},
): readonly Tool[] {
  return [
    defineTool({
      name: 'look_up_order',
      description: 'What was ordered, and how far it is.',
      parameters: orderArguments,
      jsonSchema: orderJsonSchema,
      effect: 'read',
      async execute({ order }, { idempotencyKey, variables }) {
        variables.set('order', order);
        const found = system.lookUp(order, idempotencyKey);
        await beforeReturn('look_up_order');
        return found ?? { error: `There is no order ${order}.` };
      },
    }),
    defineTool({
      name: 'book_replacement',
      description: 'Sends a replacement for a broken item, free of charge.',
      parameters: orderArguments,
      jsonSchema: orderJsonSchema,
      effect: 'idempotent',
      async execute({ order }, { idempotencyKey }) {
        const booking = system.bookReplacement(order, idempotencyKey);
        await beforeReturn('book_replacement');
        return booking;
      },
    }),
  ];
}

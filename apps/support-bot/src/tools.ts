import { defineTool, type Tool } from '@agent-state/core';
import * as v from 'valibot';
import type { OrderSystem } from './order-system.ts';

const orderArguments = v.object({ order: v.pipe(v.string(), v.regex(/^\d+$/, 'an order number')) });
const orderProperty = { type: 'string', description: 'The order number, digits only.' };
const orderJsonSchema = { type: 'object', properties: { order: orderProperty }, required: ['order'] };

const refundArguments = v.object({ ...orderArguments.entries, amount: v.pipe(v.number(), v.gtValue(0)) });
const refundJsonSchema = {
  type: 'object',
  properties: { order: orderProperty, amount: { type: 'number', description: 'How much is paid back.' } },
  required: ['order', 'amount'],
};

/** Up to so much the bot may pay back by itself. */
const refundLimit = 100;

type BeforeReturn = (tool: string) => Promise<void>;

/** The bot's tools. `beforeReturn` runs when a tool's work is done and its result is not given yet: the demo strikes there. */
export function orderTools(system: OrderSystem, beforeReturn: BeforeReturn = async () => {}): readonly Tool[] {
  return [
    defineTool({
      name: 'look_up_order',
      description: 'What was ordered, what it cost, and how far it is.',
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
    defineTool({
      name: 'book_refund',
      description: 'Pays money back to the customer of an order.',
      parameters: refundArguments,
      jsonSchema: refundJsonSchema,
      effect: 'idempotent',
      needsApproval: ({ amount }) => amount > refundLimit,
      async execute({ order, amount }, { idempotencyKey }) {
        const booking = system.bookRefund(order, amount, idempotencyKey);
        await beforeReturn('book_refund');
        return booking;
      },
    }),
  ];
}

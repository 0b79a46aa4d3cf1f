import assert from 'node:assert/strict';
import type { Capabilities, Message, Position } from '@agent-state/core';
import { loaded, refused, savedAndLoaded } from '../assertions.ts';
import { type CaseContext, defineCase } from '../case.ts';
import { assistant, state, step, user } from '../fixtures.ts';

/** A limit above this is not reached: the case would be about the memory of this machine. */
const testableBytes = 20_000_000;

/** Room for role, quotes and the schema around a content. */
const envelopeBytes = 1_000;

const unless = ({ maxMessageBytes }: Capabilities) =>
  maxMessageBytes > testableBytes ? `the limit of a message is over ${testableBytes} bytes` : undefined;

const before = () => ({ state: state([user('before')], { variables: { a: 1 } }) });

/** A write that is refused as too large leaves all as it was. */
async function tooLarge({ store }: CaseContext, path: string, changed: ReturnType<typeof state>): Promise<void> {
  const base = await savedAndLoaded(store, 't', before());
  const write = { state: changed, base, appendedFrom: 1, steps: [step(1)] };
  const error = await refused(store.save('t', write), 'too_large');
  assert.equal(error.path, path);
  assert((error.actualBytes as number) > (error.limitBytes as number));
  assert.deepEqual(await loaded(store, 't'), base);
}

/** Long threads and large messages. */
export const sizes = [
  defineCase({
    id: 'sizes/append-200',
    requirement: '200 messages are appended in one save, in order',
    run: async ({ store }) => {
      const base = await store.save('t', { state: state([user('first')]) });
      const many = Array.from({ length: 200 }, (_, index) => assistant(`message ${index}`));
      const write = { state: state([user('first'), ...many]), base, appendedFrom: 1 };
      const next = await savedAndLoaded(store, 't', write);
      const one = [...next.state.history, user('last')];
      await savedAndLoaded(store, 't', { state: state(one), base: next, appendedFrom: 201 });
    },
  }),
  defineCase({
    id: 'sizes/append-9000',
    requirement: '9,000 messages and 1,500 steps are created in one save, and as many messages appended',
    run: async ({ store, capabilities }) => {
      const many = Array.from({ length: 9_000 }, (_, index) => assistant(`message ${index}`));
      const steps = Array.from({ length: 1_500 }, (_, index) => step(index));
      const base = await savedAndLoaded(store, 't', { state: state(many), steps });
      await savedAndLoaded(store, 't', { state: state([...many, ...many]), base, appendedFrom: 9_000 });
      if (!capabilities.steps) return;
      const read = [...(await store.steps('t')), ...(await store.steps('t', { from: 1_000 }))];
      assert.deepEqual(
        read.map(({ step }) => step),
        steps.map(({ step }) => step),
      );
    },
  }),
  defineCase({
    id: 'sizes/long-thread',
    requirement: 'a thread of many saves, some of them large, is loaded whole and in order',
    run: async ({ store }) => {
      let history = [user('start')];
      let base = await store.save('t', { state: state(history) });
      for (let round = 0; round < 150; round += 1) {
        const content = round % 30 === 0 ? `${round} `.repeat(100_000) : `round ${round}`;
        history = [...history, assistant(content)];
        const write = { state: state(history), base, appendedFrom: base.length, steps: [step(round)] };
        base = await store.save('t', write);
      }
      const found = await loaded(store, 't');
      assert.deepEqual(found.state.history, history);
    },
  }),
  defineCase({
    id: 'sizes/held',
    requirement: '[S-PER-01] what is held of a thread grows with what was said, not with how often it was saved',
    needs: ['raw'],
    run: async ({ store, raw }) => {
      const steps = 100;
      const history: Message[] = [];
      let base: Position | undefined;
      for (let number = 0; number < steps; number += 1) {
        history.push(assistant(`${number}`.padEnd(1_000, '.')));
        const write = { state: state(history), steps: [step(number)], appendedFrom: number };
        base = await store.save('t', base ? { ...write, base } : write);
      }
      const held = Buffer.byteLength(await raw());
      assert(held >= steps * 1_000, `${held} bytes cannot hold ${steps} messages of 1,000`);
      assert(held < steps * 2_500, `${held} bytes are held for ${steps} messages of 1,000`);
    },
  }),
  defineCase({
    id: 'sizes/largest-message',
    requirement: 'a message as large as the capabilities say is stored whole',
    unless,
    run: async ({ store, capabilities: { maxMessageBytes, maxStateBytes } }) => {
      const text = 'x'.repeat(Math.min(maxMessageBytes, maxStateBytes) - envelopeBytes);
      const base = await store.save('t', { state: state([user('small')]) });
      const write = { state: state([user('small'), assistant(text)]), base, appendedFrom: 1 };
      await savedAndLoaded(store, 't', write);
    },
  }),
  defineCase({
    id: 'sizes/message-too-large',
    requirement: '[D4] a message past the limit is refused with its path, and nothing of the save is written',
    unless,
    run: async (context) => {
      const { maxMessageBytes } = context.capabilities;
      const changed = state([user('before'), user('fits'), user('x'.repeat(maxMessageBytes))], { variables: { a: 2 } });
      await tooLarge(context, 'history[2]', changed);
    },
  }),
  defineCase({
    id: 'sizes/letters-are-not-bytes',
    requirement: 'the limit counts bytes, not letters',
    unless,
    run: async (context) => {
      const { maxMessageBytes } = context.capabilities;
      const letters = '\u6f22'.repeat(Math.ceil(maxMessageBytes / 3));
      await tooLarge(context, 'history[1]', state([user('before'), user(letters)]));
    },
  }),
  defineCase({
    id: 'sizes/variables-too-large',
    requirement: '[D4] variables of more than 1 MB are refused, and nothing of the save is written',
    run: (context) => {
      const variables = { text: 'x'.repeat(1_000_000) };
      return tooLarge(context, 'variables', state([user('before'), user('fits')], { variables }));
    },
  }),
];

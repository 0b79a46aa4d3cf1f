import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAgentStateError } from '../protocol/errors.ts';
import { prepare } from '../protocol/prepare.ts';
import { layoutVersion, type Stored, type StoredThread, type StoreWrite } from '../protocol/store.ts';
import { answers, asks, doneCall, openCall, runRecord, toolCall, user } from '../testing/samples.ts';
import { decodeHead, decodeStep, decodeThread } from './decode.ts';
import { toState } from './encode.ts';
import { type JsonObject, toJson } from './json.ts';
import { schemaVersion, type ThreadStateInput } from './schema.ts';

const limits = { maxMessageBytes: 1_000_000, maxStateBytes: Number.POSITIVE_INFINITY };
const now = Date.UTC(2026, 10, 29, 10);

function written(state: ThreadStateInput): StoreWrite {
  return prepare({ state }, { found: false, tombstone: null }, 'w1', now, limits);
}

/** What a store that keeps text, or native values, would give back. */
function stored(write: StoreWrite, form: 'text' | 'native' = 'text'): StoredThread {
  const part = ({ text, schema, value }: { text: string; schema: number; value: unknown }): Stored =>
    form === 'text' ? text : { schema, value: structuredClone(value) };
  const { length } = write.control;
  return {
    found: true,
    control: JSON.parse(JSON.stringify(write.control)),
    head: part(write.head),
    variables: part(write.variables as NonNullable<StoreWrite['variables']>),
    messages: write.messages.filter(({ index }) => index < length).map(part),
    ahead: write.messages
      .filter(({ index }) => index >= length)
      .map((entry) => ({ index: entry.index, message: part(entry) })),
  };
}

/** A thread in the middle of an Act: a result ahead of its turn, one call open, an input that waits. */
const midAct: ThreadStateInput = {
  agent_profile: 'support_bot',
  current_step: 3,
  updated_at: '2026-11-29T10:00:00.000Z',
  variables: { user_name: 'Alice', scores: [1e308, -1], 'a.b': { __proto__: null } },
  history: [user('hé😀'), asks(toolCall('c1'), toolCall('c2'))],
  run: runRecord({ phase: 'act', calls: [openCall('c1'), doneCall('c2', 'shipped')], pending_inputs: [user('and?')] }),
};

function codeOf(read: () => unknown): string {
  try {
    read();
    return 'read';
  } catch (error) {
    if (isAgentStateError(error)) return error.code;
    throw error;
  }
}

const odd = fc.constantFrom('__proto__', 'constructor', 'toString', '$where', 'a.b', '', '_bsontype');
const json = fc.dictionary(fc.oneof(odd, fc.string({ unit: 'grapheme' })), fc.jsonValue({ stringUnit: 'grapheme' }));
/** What of the metadata the schema names, and so has a shape. */
const named = [
  'tool_calls',
  'tool_call_id',
  'proposed_arguments',
  'input_id',
  'previous_run',
  'earlier_inputs',
  'usage',
];
const message = fc
  .tuple(
    fc.constantFrom('system', 'user', 'assistant', 'developer'),
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant(null), fc.array(json)),
    json,
  )
  .map(([role, content, metadata]) => {
    for (const key of named) delete metadata[key];
    return { role, content, metadata } as ThreadStateInput['history'][number];
  });
const states = fc
  .record({
    history: fc.array(message, { maxLength: 5 }),
    variables: json,
    current_step: fc.nat(),
    agent_profile: fc.string({ unit: 'grapheme' }),
    later_field: json,
  })
  .map((state) => state as ThreadStateInput);

describe('what was accepted', () => {
  it.each(['text', 'native'] as const)('comes back as it was from a store that keeps it as %s', (form) => {
    fc.assert(
      fc.property(states, (input) => {
        const state = toState(input, now);
        const loaded = decodeThread('t', stored(written(state), form));
        expect(loaded.found && isDeepStrictEqual(loaded.state, state)).toBe(true);
        expect(JSON.stringify(loaded.found && loaded.state.variables)).toBe(JSON.stringify(state.variables));
      }),
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it.each(['text', 'native'] as const)(
    'comes back with open calls and the results ahead of their turn, as %s',
    (form) => {
      const state = toState(midAct, now);
      const loaded = decodeThread('t', stored(written(midAct), form));
      expect(loaded).toMatchObject({ found: true, length: 2, ahead: [3], revision: 1 });
      expect(loaded.found && loaded.state).toStrictEqual(state);
    },
  );

  it('is frozen to the bottom when it is loaded', () => {
    const loaded = decodeThread('t', stored(written(midAct)));
    const open: unknown[] = [loaded];
    for (const value of open) {
      if (typeof value !== 'object' || value === null) continue;
      expect(Object.isFrozen(value)).toBe(true);
      open.push(...Object.values(value));
    }
    expect(open.length).toBeGreaterThan(60);
  });

  it('travels once: results lie where their message will be, not in the head', () => {
    const write = written(midAct);
    expect(write.head.text).not.toContain('shipped');
    expect(write.messages.map(({ index }) => index)).toEqual([0, 1, 3]);
  });

  it('keeps what this release has no name for', () => {
    const input = { history: [{ ...user('x'), thought: 'y' }], run: { ...runRecord(), later: 1 }, region: 'eu' };
    const loaded = decodeThread('t', stored(written(input)));
    expect(loaded.found && loaded.state).toMatchObject(input);
  });
});

describe('a state that could not be read back is refused before anything is written', () => {
  it.each<[string, object, string]>([
    ['no history', {}, 'history'],
    ['a hole in the history', { history: Object.assign([user('a')], { 2: user('b'), length: 3 }) }, 'history[1]'],
    ['null for a field', { history: [], agent_profile: null }, 'state.agent_profile'],
    ['an unknown role', { history: [{ role: 'robot', content: 'x' }] }, 'history[0].role'],
    ['a number as content', { history: [{ role: 'user', content: 1 }] }, 'history[0].content'],
    [
      'a call without an id',
      { history: [{ ...asks(), metadata: { tool_calls: [{}] } }] },
      'history[0].metadata.tool_calls[0].id',
    ],
    ['an array of variables', { history: [], variables: [] }, 'variables'],
    ['a time without a zone', { history: [], updated_at: '2026-11-29T10:00:00' }, 'state.updated_at'],
    ['a schema of the future', { history: [], schema_version: 2 }, 'state.schema_version'],
    [
      'a settled call without its result',
      { history: [], run: runRecord({ calls: [openCall('a', { status: 'done' })] }) },
      'state.run.calls[0].result',
    ],
    [
      'a result of a call that is not settled',
      { history: [], run: runRecord({ calls: [{ ...doneCall('a', 'x'), status: 'planned' }] }) },
      'state.run.calls[0].result',
    ],
  ])('%s', (_, state, path) => {
    expect(() => toState(state as ThreadStateInput, now)).toThrow(expect.objectContaining({ path }));
  });

  it('a message is checked once and then known', () => {
    const first = toState({ history: [user('a')] }, now);
    const second = toState({ ...first, history: [...first.history, user('b')] }, now);
    expect(second.history[0]).toBe(first.history[0]);
  });
});

describe('a stored thread that was damaged', () => {
  const sound = stored(written(midAct));
  const step = `${schemaVersion}${JSON.stringify({ revision: 1, step: 1, phase: 'act', at: '2026-11-29T10:00:00Z', run_id: 'r', generation: 0, history_length: 2, variables: { a: 1 } })}`;

  /** The thread with one of its texts replaced. */
  const damaged: Record<string, [string, (text: string) => unknown]> = {
    head: [sound.head as string, (head) => decodeThread('t', { ...sound, head })],
    glimpse: [sound.head as string, (head) => decodeHead('t', { ...sound, head })],
    variables: [sound.variables as string, (variables) => decodeThread('t', { ...sound, variables })],
    message: [
      sound.messages[1] as string,
      (text) => decodeThread('t', { ...sound, messages: [sound.messages[0] as string, text] }),
    ],
    result: [
      sound.ahead[0]?.message as string,
      (text) => decodeThread('t', { ...sound, ahead: [{ index: 3, message: text }] }),
    ],
    step: [step, (text) => decodeStep('t', text)],
  };

  /** Refused with one of our codes, or a thread that can be read, saved and read again. */
  function assertSound(read: () => unknown): void {
    const code = codeOf(read);
    if (code === 'corrupt' || code === 'schema_too_new') return;
    const value = read() as { state?: ThreadStateInput };
    const text = JSON.stringify(value);
    if (code !== 'read' || JSON.stringify(toJson(JSON.parse(text), 'v')) !== text) throw new Error(`${code}: ${text}`);
    if (value.state) toState(JSON.parse(JSON.stringify(value.state)), now);
  }

  it.each(Object.keys(damaged))('[D1] %s cut off at any place is corrupt', (part) => {
    const [text, read] = damaged[part] as (typeof damaged)[string];
    for (let length = 0; length < text.length; length += 1) {
      expect(codeOf(() => read(text.slice(0, length)))).toBe('corrupt');
    }
    expect(codeOf(() => read(text))).toBe('read');
  });

  it.each(Object.keys(damaged))('[D1] %s with any bit flipped is refused or a thread', (part) => {
    const [text, read] = damaged[part] as (typeof damaged)[string];
    const bytes = Buffer.from(text);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      assertSound(() => read(flipped.toString()));
    }
  });

  it.each([
    '',
    '{}',
    '1',
    '1[]',
    'x{}',
    '-1{}',
    '1.5{}',
    '1 {}',
    '0x1{}',
    '1null',
    'null',
    '1{"role":"user"}',
    '1"{}"',
  ])('a message that reads %j is corrupt', (text) => {
    expect(codeOf(() => decodeThread('t', { ...sound, messages: [sound.messages[0] as string, text] }))).toBe(
      'corrupt',
    );
  });

  it.each<[string, unknown]>([
    ['a gap', undefined],
    ['null', null],
    ['a number', 7],
    ['a native value without its schema', { value: user('x') }],
    ['a native value of schema NaN', { schema: Number.NaN, value: user('x') }],
    ['a native Date', { schema: 1, value: { ...user('x'), at: new Date(0) } }],
    ['native bytes', { schema: 1, value: { ...user('x'), at: Buffer.from('x') } }],
    ['a native null', { schema: 1, value: null }],
  ])('a message that is %s is corrupt', (_, message) => {
    const messages = [sound.messages[0], message] as Stored[];
    expect(codeOf(() => decodeThread('t', { ...sound, messages }))).toBe('corrupt');
  });

  it('[D1] with a message more or less than the record says is corrupt', () => {
    expect(codeOf(() => decodeThread('t', { ...sound, messages: sound.messages.slice(1) }))).toBe('corrupt');
    expect(
      codeOf(() => decodeThread('t', { ...sound, messages: [...sound.messages, sound.messages[0] as string] })),
    ).toBe('corrupt');
  });

  it('without the result of a settled call is corrupt; a result nobody waits for is left alone', () => {
    expect(codeOf(() => decodeThread('t', { ...sound, ahead: [] }))).toBe('corrupt');
    const extra = [...sound.ahead, { index: 7, message: 'whatever' }];
    expect(decodeThread('t', { ...sound, ahead: extra })).toStrictEqual(decodeThread('t', sound));
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'text'],
    ['an array', [1, 2]],
    ['of no layout', {}],
    ['of layout 0', { ...(sound.control as object), layout: 0 }],
    ['without an etag', { ...(sound.control as object), etag: undefined }],
    ['with half a revision', { ...(sound.control as object), revision: 1.5 }],
    ['with a negative length', { ...(sound.control as object), length: -1 }],
    ['without a life', { ...(sound.control as object), life: null }],
    ['with half a ttl', { ...(sound.control as object), ttl: { ttlMs: 1 } }],
  ])('whose record is %s is corrupt', (_, control) => {
    expect(codeOf(() => decodeThread('t', { ...sound, control }))).toBe('corrupt');
    expect(codeOf(() => decodeHead('t', { ...sound, control }))).toBe('corrupt');
  });

  it('is named by its id and its path, and nothing of it is shown', () => {
    const messages = [sound.messages[0] as string, '1{"role":"user","content":"secret"'];
    const expected = { code: 'corrupt', threadId: 't', message: 'history[1] is not JSON. It is left as it is.' };
    try {
      decodeThread('t', { ...sound, messages });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject(expected);
      expect(error).not.toHaveProperty('cause');
      expect(inspect(error)).not.toContain('secret');
    }
  });
});

describe('[D2] what a newer release wrote is refused as that', () => {
  const sound = stored(written(midAct));
  it('a newer layout, whatever else is in the record', () => {
    const control = { layout: layoutVersion + 1, everything: 'else' };
    expect(codeOf(() => decodeThread('t', { ...sound, control, head: 'unknown' }))).toBe('schema_too_new');
    expect(codeOf(() => decodeHead('t', { ...sound, control, head: 'unknown' }))).toBe('schema_too_new');
  });

  it.each(['head', 'variables'] as const)('a newer schema of the %s, as text and as a native value', (part) => {
    const value = JSON.parse((sound[part] as string).slice(1)) as JsonObject;
    expect(codeOf(() => decodeThread('t', { ...sound, [part]: `99${JSON.stringify(value)}` }))).toBe('schema_too_new');
    expect(codeOf(() => decodeThread('t', { ...sound, [part]: { schema: 99, value } }))).toBe('schema_too_new');
  });

  it('a newer schema of one message, appended by a newer release to an old thread', () => {
    const messages = [sound.messages[0] as string, `2${JSON.stringify(answers('a', 'x'))}`];
    expect(codeOf(() => decodeThread('t', { ...sound, messages }))).toBe('schema_too_new');
  });
});

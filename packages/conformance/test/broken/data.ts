import type { Checkpointer, CheckpointWrite, Message, ThreadState } from '@agent-state/core';
import { namespace } from '../memory-target.ts';
import { type BrokenAdapter, broken, mapDeep } from './broken.ts';

type State = CheckpointWrite['state'];

/** Saves another state than it was given. */
const saving =
  (change: (state: State) => State) =>
  ({ store }: { store: Checkpointer }): Partial<Checkpointer> => ({
    save: (threadId, write) => store.save(threadId, { ...write, state: change(write.state) }),
  });

const savingTexts = (change: (text: string) => string) =>
  saving((state) => mapDeep(state, (value) => (typeof value === 'string' ? change(value) : value)) as State);

const savingValues = (change: (value: unknown) => unknown) => saving((state) => mapDeep(state, change) as State);

/** Loads another state than was saved. */
const loading =
  (change: (state: ThreadState) => ThreadState) =>
  ({ store }: { store: Checkpointer }): Partial<Checkpointer> => ({
    async load(threadId) {
      const found = await store.load(threadId);
      return found.found ? Object.freeze({ ...found, state: Object.freeze(change(found.state)) }) : found;
    },
  });

const loadingHistory = (change: (history: readonly Message[]) => readonly Message[]) =>
  loading((state) => ({ ...state, history: Object.freeze(change(state.history)) }));

const withoutExtras = ({ role, content, name, metadata }: Message): Message => ({
  role,
  content,
  ...(name === undefined ? {} : { name }),
  ...(metadata === undefined ? {} : { metadata }),
});

/** As a table with a column for each known key would keep it. */
function withKnownMetadata({ metadata, ...message }: Message): Message {
  if (metadata === undefined) return message;
  const known = ['input_id', 'tool_calls', 'tool_call_id'];
  return { ...message, metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => known.includes(key))) };
}

/** The results of the first two answered calls, changed with each other. */
function swapResults(state: ThreadState): ThreadState {
  const { run } = state;
  const [first, second] = (run?.calls ?? []).filter(({ result }) => result);
  if (!run || !first || !second) return state;
  const swapped = new Map([
    [first, { ...first, result: second.result }],
    [second, { ...second, result: first.result }],
  ]);
  const calls = run.calls.map((call) => swapped.get(call) ?? call) as typeof run.calls;
  return { ...state, run: { ...run, calls } };
}

const isEmptyArray = (value: unknown) => Array.isArray(value) && value.length === 0;

/** Checkpointers that change what they are given to keep. */
export const brokenData: readonly BrokenAdapter[] = [
  broken(
    'drops what no schema names in messages',
    'changes/unknown-fields',
    saving((state) => ({ ...state, history: state.history.map(withoutExtras) })),
  ),
  broken(
    'drops what no schema names in metadata',
    'changes/unknown-fields',
    saving((state) => ({ ...state, history: state.history.map(withKnownMetadata) })),
  ),
  broken(
    'drops what no schema names in the state',
    'changes/unknown-fields',
    loading(({ extra: _extra, ...state }: ThreadState & { extra?: unknown }) => state),
  ),
  broken(
    'loses the order of messages',
    'changes/order',
    loadingHistory((history) => history.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))),
  ),
  broken(
    'drops every fifth message',
    'contract/append',
    loadingHistory((history) => history.filter((_, index) => index % 5 !== 4)),
  ),
  broken(
    'drops repeated messages',
    'changes/repeated-messages',
    loadingHistory((history) => [...new Map(history.map((message) => [JSON.stringify(message), message])).values()]),
  ),
  broken(
    'keeps the first 1,000 messages',
    'sizes/append-9000',
    loadingHistory((history) => history.slice(0, 1_000)),
  ),
  broken(
    'truncates texts at 64 KiB',
    'values/long-text',
    savingTexts((text) => text.slice(0, 65_536)),
  ),
  broken(
    'keeps ASCII only',
    'values/unicode',
    savingTexts((text) => text.replace(/[^\0-\x7f]/g, '?')),
  ),
  broken(
    'keeps the 16-bit plane only',
    'values/emoji',
    savingTexts((text) => text.replace(/[\ud800-\udfff]/g, '\ufffd')),
  ),
  broken(
    'ends a text at NUL',
    'values/nul',
    savingTexts((text) => text.split('\0')[0] as string),
  ),
  broken(
    'composes letters',
    'values/normal-forms',
    savingTexts((text) => text.normalize('NFC')),
  ),
  broken(
    'trims texts',
    'values/blank',
    savingTexts((text) => text.trim()),
  ),
  broken(
    'takes texts that look like dates for dates',
    'values/like-dates',
    savingTexts((text) => (/^\d{4}-.*Z$/.test(text) ? new Date(text).toISOString().replace('.000', '') : text)),
  ),
  broken(
    'writes the arguments of calls anew',
    'values/tool-calls',
    savingTexts((text) => (/^\{.*\}$/.test(text) ? JSON.stringify(JSON.parse(text)) : text)),
  ),
  broken(
    'turns empty arrays into objects',
    'values/empty',
    savingValues((value) => (isEmptyArray(value) ? {} : value)),
  ),
  broken(
    'rounds numbers to 15 digits',
    'values/fractions',
    savingValues((value) => (typeof value === 'number' ? Number(value.toPrecision(15)) : value)),
  ),
  broken(
    'keeps 32-bit integers',
    'values/integers',
    savingValues((value) => (Number.isInteger(value) ? (value as number) | 0 : value)),
  ),
  broken(
    'turns booleans into numbers',
    'values/booleans',
    savingValues((value) => (typeof value === 'boolean' ? Number(value) : value)),
  ),
  broken('drops nulls', 'values/empty', savingValues(dropNulls)),
  broken('splits keys at dots', 'values/operator-keys', savingValues(splitKeys)),
  broken('swaps results that lie ahead', 'results-ahead/in-place', loading(swapResults)),
  broken('merges variables instead of replacing them', 'changes/variables-replaced', ({ store }) => ({
    async save(threadId, write) {
      const found = await store.load(threadId);
      const variables = { ...(found.found ? found.state.variables : {}), ...write.state.variables };
      return store.save(threadId, { ...write, state: { ...write.state, variables } });
    },
  })),
  broken('appends a history that was handed over whole', 'changes/whole-again', ({ store }) => ({
    async save(threadId, write) {
      const found = await store.load(threadId);
      const stored = found.found && !write.appendedFrom ? found.state.history : [];
      return store.save(threadId, {
        ...write,
        state: { ...write.state, history: [...stored, ...write.state.history] },
      });
    },
  })),
  broken('keeps every state that a thread ever had', 'sizes/held', ({ store, data }) => ({
    async save(threadId, write) {
      const position = await store.save(threadId, write);
      const { tombstones } = data.namespace(namespace);
      tombstones.set(`${threadId} ${position.revision}`, JSON.stringify(write.state), null, 0);
      return position;
    },
  })),
  broken('stores variables that are said to be unchanged', 'changes/variables-unchanged', ({ store }) => ({
    save: (threadId, write) => store.save(threadId, { ...write, variablesChanged: true }),
  })),
];

function dropNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'claim' in value) return value;
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null));
}

function splitKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key.split('.')[0], part]));
}

import { type RunPhase, type RunRecord, runPhases, type ThreadState } from '../state/schema.ts';
import { toWakeTime } from '../state/wake-time.ts';
import type { StepsOptions, ThreadPage, ThreadQuery, ThreadSummary } from './checkpointer.ts';
import { AgentStateError } from './errors.ts';
import type { StoreQuery } from './store.ts';

/** The largest page, of threads or of steps. */
export const maxPage = 1_000;

/** A date is its first instant in UTC. A time without a zone would be another instant on each machine. */
const instantPattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** Checked options, or `invalid_argument`: limits and instants, and values that are literals. */
export function parseQuery(query: ThreadQuery): StoreQuery {
  const {
    limit = 100,
    cursor,
    agentProfile,
    updatedFrom,
    updatedBefore,
    phase,
    dueAt,
    variables,
    toolName,
    text,
    ...rest
  } = query;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw invalid(unknown, 'is not a condition of a query');
  assertLimit(limit);
  return {
    limit,
    ...(cursor === undefined ? {} : { after: parseCursor(cursor) }),
    ...given('agentProfile', agentProfile, string),
    ...given('updatedFrom', updatedFrom, instant),
    ...given('updatedBefore', updatedBefore, instant),
    ...given('phase', phase, knownPhase),
    ...given('dueAt', dueAt, wakeTime),
    ...given('variables', variables, literals),
    ...given('toolName', toolName, string),
    ...given('text', text, string),
  };
}

/** The page that a store's answer is, with a cursor where there may be more. */
export function toPage(threads: readonly ThreadSummary[], limit: number): ThreadPage {
  const last = threads.at(-1);
  if (!last || threads.length < limit) return { threads };
  const cursor = Buffer.from(JSON.stringify([Date.parse(last.updatedAt), last.threadId])).toString('base64url');
  return { threads, cursor };
}

export function parseStepsOptions({ from = 0, limit = maxPage }: StepsOptions): Required<StepsOptions> {
  assertLimit(limit);
  if (!Number.isSafeInteger(from) || from < 0) throw invalid('from', 'has to be a whole number from 0 on');
  return { from, limit };
}

/** The order of every listing: latest first; of the same instant, by id. For stores that sort in JavaScript. */
export function compareSummaries(a: ThreadSummary, b: ThreadSummary): number {
  const byTime = Date.parse(b.updatedAt) - Date.parse(a.updatedAt);
  return byTime === 0 ? Buffer.compare(Buffer.from(a.threadId), Buffer.from(b.threadId)) : byTime;
}

/** Whether a thread matches, its place in the order (`after`) included. For stores that look in JavaScript. */
export function matches(threadId: string, state: ThreadState, query: StoreQuery): boolean {
  const updatedAt = Date.parse(state.updated_at);
  const { after } = query;
  return (
    (after === undefined || isBehind(updatedAt, threadId, after)) &&
    (query.agentProfile === undefined || state.agent_profile === query.agentProfile) &&
    (query.updatedFrom === undefined || updatedAt >= query.updatedFrom) &&
    (query.updatedBefore === undefined || updatedAt < query.updatedBefore) &&
    (query.phase === undefined || phaseOf(state) === query.phase) &&
    (query.dueAt === undefined || isDue(state, query.dueAt)) &&
    Object.entries(query.variables ?? {}).every(
      ([key, value]) => Object.hasOwn(state.variables, key) && state.variables[key] === value,
    ) &&
    (query.toolName === undefined || toolNames(state).has(query.toolName)) &&
    (query.text === undefined || textsOf(state).some((text) => text.includes(query.text as string)))
  );
}

/** The tools that a state's history called or has results of. */
export function toolNames(state: Pick<ThreadState, 'history'>): Set<string> {
  const names = new Set<string>();
  for (const message of state.history) {
    if (message.role === 'tool' && message.name !== undefined) names.add(message.name);
    for (const call of message.metadata?.tool_calls ?? []) names.add(call.function.name);
  }
  return names;
}

/** The texts of a history: string contents, and `text` of parts. */
export function textsOf(state: Pick<ThreadState, 'history'>): string[] {
  return state.history.flatMap(({ content }) => {
    if (typeof content === 'string') return [content];
    return (content ?? []).flatMap((part) => (typeof part.text === 'string' ? [part.text] : []));
  });
}

export function summaryOf(threadId: string, state: ThreadState, revision: number): ThreadSummary {
  const wakeAt = wakeAtOf(state);
  return {
    threadId,
    agentProfile: state.agent_profile,
    currentStep: state.current_step,
    updatedAt: state.updated_at,
    phase: phaseOf(state),
    ...(wakeAt === undefined ? {} : { wakeAt }),
    revision,
    length: state.history.length,
  };
}

function phaseOf({ run }: ThreadState): RunPhase {
  return run?.phase ?? 'idle';
}

function isDue(state: ThreadState, dueAt: string): boolean {
  const wakeAt = wakeAtOf(state);
  return wakeAt !== undefined && wakeAt <= dueAt;
}

function isBehind(updatedAt: number, threadId: string, after: { updatedAt: number; threadId: string }): boolean {
  if (updatedAt !== after.updatedAt) return updatedAt < after.updatedAt;
  return Buffer.compare(Buffer.from(threadId), Buffer.from(after.threadId)) > 0;
}

function parseCursor(cursor: unknown): { updatedAt: number; threadId: string } {
  try {
    const [updatedAt, threadId] = JSON.parse(Buffer.from(cursor as string, 'base64url').toString());
    if (typeof updatedAt === 'number' && typeof threadId === 'string') return { updatedAt, threadId };
  } catch {
    // Whatever it was, it is not one of our cursors; said below.
  }
  throw invalid('cursor', 'is not one that a page of this library ended with');
}

function assertLimit(limit: unknown): void {
  if (!Number.isSafeInteger(limit) || (limit as number) < 1 || (limit as number) > maxPage) {
    throw invalid('limit', `has to be a whole number from 1 to ${maxPage}`);
  }
}

/** The condition as `read` checks and translates it, where there is one. */
function given<K extends string, T>(
  key: K,
  value: unknown,
  read: (key: string, value: unknown) => T,
): { [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: read(key, value) } as { [P in K]?: T });
}

function string(key: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalid(key, 'has to be a string');
}

/** Whether it begins with a day that there is: `Date.parse` takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const day = text.slice(0, 10);
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

function instant(key: string, value: unknown): number {
  const ms = typeof value === 'string' && isDay(value) && instantPattern.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw invalid(key, 'has to be text: an ISO 8601 instant with a zone, or a day');
  return ms;
}

/** In the form in which it is compared with what is stored. */
function wakeTime(key: string, value: unknown): string {
  const time = toWakeTime(instant(key, value));
  if (time === undefined) throw invalid(key, 'has to be an instant up to the year 9999');
  return time;
}

function knownPhase(key: string, value: unknown): RunPhase {
  const phase = runPhases.find((known) => known === value);
  if (phase === undefined) throw invalid(key, `has to be one of ${runPhases.join(', ')}`);
  return phase;
}

function literals(path: string, variables: unknown): NonNullable<StoreQuery['variables']> {
  if (typeof variables !== 'object' || variables === null || Array.isArray(variables))
    throw invalid(path, 'has to be an object');
  for (const [key, value] of Object.entries(variables)) {
    const literal = value === null || ['string', 'number', 'boolean'].includes(typeof value);
    if (!literal) throw invalid(`${path}.${key}`, 'has to be a string, number, boolean or null');
  }
  return variables as NonNullable<StoreQuery['variables']>;
}

function invalid(path: string, what: string): AgentStateError {
  return new AgentStateError('invalid_argument', `${path} ${what}.`, { path });
}

/** Until when a thread is paused; undefined where it is not, or where the pause has no end of its own. */
export function wakeAtOf({ run }: { readonly run?: RunRecord | undefined }): string | undefined {
  return run?.phase === 'paused' ? run.pause?.wake_at : undefined;
}

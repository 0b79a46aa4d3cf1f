import { AgentStateError, type SaveOutcome, type StoreWrite } from '@agent-state/core';
import type { Places } from './connect.ts';
import { asAgentStateError } from './errors.ts';
import { type Expiry, expiryOf } from './expiry.ts';
import { type Facts, type FactsCache, factsOf } from './facts.ts';
import { controlOf, type ThreadDocument } from './layout.ts';
import { type Naming, nameChunks } from './naming.ts';
import type { Settings } from './options.ts';
import { emptyTail, type Plan, planOf } from './plan.ts';
import { put } from './put.ts';
import { asFound, readHead } from './read.ts';
import { discardUnnamed, dropExpired, dropObsolete } from './sweep.ts';
import { documentOf, filterOf, steadyText, tailAfter, updateOf } from './update.ts';

/** What the operations share. */
export interface Context {
  readonly places: Places;
  readonly cache: FactsCache;
  readonly settings: Pick<Settings, 'tail' | 'runtime'>;
}

/** A save whose chunks are stored, but not yet part of the thread. Without facts it creates the thread. */
interface Prepared {
  readonly facts: Facts | undefined;
  readonly plan: Plan;
  readonly naming: Naming;
  readonly expiry: Expiry;
}

/** How often chunks are made again that expired before they were named. */
const maxRounds = 3;

export async function save(context: Context, threadId: string, write: StoreWrite): Promise<SaveOutcome> {
  for (let round = 1; round <= maxRounds; round += 1) {
    const base = await baseOf(context, threadId, write);
    if ('found' in base) return verdict(context, threadId, write, base.found);
    const prepared = await prepare(context, threadId, write, base.facts);
    if (prepared) return committing(() => commit(context, threadId, write, prepared));
    // Either the thread moved on, which the next round sees, or this process was slow.
    context.cache.set(threadId, undefined);
  }
  throw new AgentStateError('unavailable', 'What the save needs was gone before it could be done.', {
    threadId,
    applied: 'no',
  });
}

/** What is known of the record to build on, or what is there in its place. */
async function baseOf(
  { cache, places }: Context,
  threadId: string,
  { expected }: StoreWrite,
): Promise<{ readonly facts: Facts | undefined } | { readonly found: ThreadDocument | null }> {
  if (expected === null) return { facts: undefined };
  const known = cache.get(threadId, expected);
  if (known) return { facts: known };
  const document = await readHead(places, threadId);
  const facts = factsOf(document);
  return facts?.etag === expected ? { facts } : { found: document };
}

async function prepare(
  { places, settings }: Context,
  threadId: string,
  write: StoreWrite,
  facts: Facts | undefined,
): Promise<Prepared | undefined> {
  const tail = facts?.tail ?? emptyTail;
  const plan = planOf(write, tail, settings.tail);
  const expiry = await expiryOf(places, write.expiresInMs);
  const naming = await nameChunks(places, settings.runtime, threadId, write, plan, tail, expiry);
  return naming && { facts, plan, naming, expiry };
}

async function commit(context: Context, threadId: string, write: StoreWrite, prepared: Prepared): Promise<SaveOutcome> {
  const { places, cache } = context;
  const { plan, naming, expiry } = prepared;
  const done = prepared.facts
    ? await change(places, threadId, write, prepared, prepared.facts)
    : await create(places, threadId, write, prepared);
  if (!done) {
    const outcome = verdict(context, threadId, write, await readHead(places, threadId));
    if (!outcome.saved) await discardUnnamed(places, threadId, write, naming);
    return outcome;
  }
  const { etag } = write.control;
  const [tail, steady] = [tailAfter(plan, naming), steadyText(write)];
  cache.set(threadId, { etag, tail, expires: expiry.thread !== null, steady });
  await dropObsolete(places, threadId, write, naming, prepared.facts);
  return { saved: true };
}

async function change(
  { threads }: Places,
  threadId: string,
  write: StoreWrite,
  { plan, naming, expiry }: Prepared,
  facts: Facts,
): Promise<boolean> {
  const update = updateOf(write, plan, naming, facts, expiry);
  const { matchedCount } = await threads.updateOne(filterOf(threadId, write, facts), update);
  return matchedCount === 1;
}

async function create(
  places: Places,
  threadId: string,
  write: StoreWrite,
  { plan, naming, expiry }: Prepared,
): Promise<boolean> {
  const document = documentOf(threadId, write, plan, naming, expiry);
  const { placed, expired } = await put(places, document, write.control.life.after);
  if (placed && expired !== undefined) await dropExpired(places, threadId, expired);
  return placed;
}

/** What a save that matched nothing found. A driver that sends twice is refused by what its first attempt wrote. */
function verdict(
  { cache }: Context,
  threadId: string,
  write: StoreWrite,
  document: ThreadDocument | null,
): SaveOutcome {
  cache.set(threadId, factsOf(document));
  if (controlOf(document).etag === write.control.etag) return { saved: true };
  return { saved: false, found: asFound(document) };
}

/** Only from here on can an error mean that the save was done. */
async function committing<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw asAgentStateError(error, true);
  }
}

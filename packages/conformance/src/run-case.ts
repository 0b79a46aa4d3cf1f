import type { Capabilities, Checkpointer } from '@agent-state/core';
import type { CaseContext, ConformanceCase } from './case.ts';
import type { ConformanceBackend, ConformanceTarget } from './target.ts';
import { within } from './timeout.ts';

/** How one case ended. A skip names what the target does not offer, and is never a pass. */
export type Outcome =
  | { readonly status: 'passed' }
  | { readonly status: 'skipped'; readonly reason: string }
  | { readonly status: 'failed'; readonly error: unknown };

/** The longest that a case may take, in milliseconds. */
export const defaultTimeoutMs = 60_000;

/** Runs one case on a fresh backend, which is closed however the case ends. */
export async function runCase(
  target: ConformanceTarget,
  subject: ConformanceCase,
  timeoutMs: number = defaultTimeoutMs,
): Promise<Outcome> {
  const opened: Checkpointer[] = [];
  let backend: ConformanceBackend | undefined;
  let outcome: Outcome;
  try {
    backend = await within(timeoutMs, 'Creating the backend', target.create());
    outcome = await within(timeoutMs, 'The case', runOn(backend, subject, opened));
  } catch (error) {
    outcome = { status: 'failed', error };
  }
  return closeAll(opened, backend, outcome, timeoutMs);
}

/** Which of the cases say something about this target: what it does not declare, the others are about. */
export async function applicableCases(
  target: ConformanceTarget,
  cases: readonly ConformanceCase[],
): Promise<readonly ConformanceCase[]> {
  const backend = await target.create();
  try {
    const store = await backend.open();
    await store.close();
    return cases.filter((subject) => reasonToSkip(subject, store.capabilities, backend) === undefined);
  } finally {
    await backend.close();
  }
}

async function runOn(backend: ConformanceBackend, subject: ConformanceCase, opened: Checkpointer[]): Promise<Outcome> {
  const context = await contextOf(backend, opened);
  const reason = reasonToSkip(subject, context.capabilities, backend);
  if (reason !== undefined) return { status: 'skipped', reason };
  await subject.run(context);
  return { status: 'passed' };
}

async function contextOf(backend: ConformanceBackend, opened: Checkpointer[]): Promise<CaseContext> {
  const keep = (store: Checkpointer): Checkpointer => {
    opened.push(store);
    return store;
  };
  const store = keep(await backend.open());
  return {
    store,
    capabilities: store.capabilities,
    open: async () => keep(await backend.open()),
    async openIn(namespace) {
      if (!backend.openIn) throw new TypeError('A case that uses namespaces has to need `openIn`.');
      return keep(await backend.openIn(namespace));
    },
    async raw() {
      if (!backend.raw) throw new TypeError('A case that looks at what is stored has to need `raw`.');
      return (await backend.raw()).join('\n');
    },
  };
}

function reasonToSkip(
  { needs = [], lacks, unless }: ConformanceCase,
  capabilities: Capabilities,
  backend: ConformanceBackend,
): string | undefined {
  if (lacks !== undefined && capabilities[lacks]) return `the checkpointer offers ${lacks}`;
  for (const need of needs) {
    if (need === 'openIn' || need === 'raw') {
      if (!backend[need]) return `the target has no ${need}()`;
    } else if (!capabilities[need]) return `the checkpointer does not offer ${need}`;
  }
  return unless?.(capabilities);
}

async function closeAll(
  opened: readonly Checkpointer[],
  backend: ConformanceBackend | undefined,
  outcome: Outcome,
  timeoutMs: number,
): Promise<Outcome> {
  const closing = await Promise.allSettled(
    opened.map((store) => within(timeoutMs, 'Closing a checkpointer', store.close())),
  );
  const last = await Promise.allSettled([within(timeoutMs, 'Closing the backend', backend?.close() ?? noBackend)]);
  const failed = [...closing, ...last].find((settled) => settled.status === 'rejected');
  return failed && outcome.status !== 'failed' ? { status: 'failed', error: failed.reason } : outcome;
}

const noBackend = Promise.resolve();

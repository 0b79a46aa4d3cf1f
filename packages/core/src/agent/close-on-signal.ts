import { AgentStateError } from '../protocol/errors.ts';
import { assertKnown, type KnownOptions } from '../protocol/options.ts';
import { assertDeadline } from './close-options.ts';
import type { AgentFactory } from './factory.ts';
import type { UnsavedThread } from './saving/hub.ts';

/** What asks a process to end, and gives it time to. */
export type ClosingSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

export interface CloseOnSignalOptions {
  /** Default: SIGTERM and SIGINT. */
  readonly signals?: readonly ClosingSignal[];
  /** How long runs may take to end, in milliseconds; default 8,000. What has not ended is stopped and let go of. */
  readonly deadlineMs?: number;
  /** Told what could not be stored, before the process ends: the last chance to keep it. */
  readonly onClosed?: (unsaved: readonly UnsavedThread[]) => void | Promise<void>;
  /** What ends the process; default: `process.exit`, with 128 and the signal's number, as shells do. */
  readonly exit?: (code: number) => void;
}

const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

const known: KnownOptions<CloseOnSignalOptions> = { signals: true, deadlineMs: true, onClosed: true, exit: true };

/**
 * Closes the agents when the process is asked to end, and then ends it: no run is begun any more, those at work have
 * until the deadline, and what has not ended then is let go of, so that any process can go on with it at once. Returns a
 * function that takes the listeners off again. A second signal ends the process as it always did.
 */
export function closeOnSignal(
  factories: AgentFactory | readonly AgentFactory[],
  options: CloseOnSignalOptions = {},
): () => void {
  const { signals = ['SIGTERM', 'SIGINT'], deadlineMs = 8_000, exit = (code) => process.exit(code) } = options;
  assertKnown(options, known);
  assertDeadline(deadlineMs, 'configuration');
  assertSignals(signals);
  const close = async (signal: ClosingSignal): Promise<void> => {
    remove();
    try {
      const closed = await Promise.all([factories].flat().map((factory) => factory.close({ deadlineMs })));
      await options.onClosed?.(closed.flatMap(({ unsaved }) => unsaved));
    } finally {
      exit(128 + numbers[signal]);
    }
  };
  const heard = (signal: string): void => void close(signal as ClosingSignal);
  const remove = (): void => {
    for (const signal of signals) process.removeListener(signal, heard);
  };
  for (const signal of signals) process.on(signal, heard);
  return remove;
}

function assertSignals(signals: unknown): void {
  const all = Object.keys(numbers);
  if (Array.isArray(signals) && signals.every((signal) => all.includes(signal as string))) return;
  const message = `signals has to be an array of ${all.join(', ')}.`;
  throw new AgentStateError('configuration', message, { path: 'signals' });
}

import { AgentStateError } from '../protocol/errors.ts';
import { assertKnownArguments, assertOneOf } from '../protocol/options.ts';
import type { ResumeOptions, RunOptions } from './api.ts';
import { resumeOptions, runOptions } from './options.ts';

/** What a run may be asked with: the rest is refused before anything is read or written. */

export function assertRunOptions(options: RunOptions): void {
  assertKnownArguments(options, runOptions);
  const { history, retry, inputId } = options;
  assertAsked(options);
  assertOneOf(options.onPaused, ['throw', 'reject'], 'onPaused', 'invalid_argument');
  if (history !== undefined && !Array.isArray(history)) throw invalid('The history has to be an array.', 'history');
  if (retry !== undefined && typeof retry !== 'boolean') throw invalid('retry has to be true or false.', 'retry');
  if (retry === true && inputId === undefined) {
    // It would be taken for a new input, and stored a second time.
    throw invalid('retry runs an input again, which has to be named by its inputId.', 'inputId');
  }
}

export function assertResumeOptions(options: ResumeOptions): void {
  assertKnownArguments(options, resumeOptions);
  assertAsked(options);
}

function assertAsked({ onBusy, signal }: ResumeOptions): void {
  assertOneOf(onBusy, ['wait', 'takeOver', 'throw'], 'onBusy', 'invalid_argument');
  if (signal === undefined || signal instanceof AbortSignal) return;
  throw invalid('The signal has to be an AbortSignal, as the signal of an AbortController is.', 'signal');
}

function invalid(message: string, path: string): AgentStateError {
  return new AgentStateError('invalid_argument', message, { path });
}

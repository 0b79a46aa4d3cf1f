import type { OpenCall, RunRecord, ThreadState, ThreadStateInput } from '@agent-state/core';

/** Which of the protocol's write points a save is, read off what it saves and what was there before. */
export function writeKind(before: ThreadState | undefined, { run, history }: ThreadStateInput): string {
  const was = before?.run;
  if (!run || run.epoch !== was?.epoch) return 'W0';
  if (run.requests.length > was.requests.length) return 'decide';
  const grown = history.length - (before?.history.length ?? 0);
  if (grown > 0 && history.at(-1)?.role === 'assistant') return run.phase === 'done' ? 'answer' : 'W1';
  if (grown > 0) return 'W4';
  if (run.phase === 'paused') return 'W5';
  return kindOfAct(run, was);
}

function kindOfAct(run: RunRecord, was: RunRecord): string {
  const count = (calls: readonly OpenCall[], is: (call: OpenCall) => boolean) => calls.filter(is).length;
  const more = (is: (call: OpenCall) => boolean) => count(run.calls, is) > count(was.calls, is);
  if (more(({ result }) => result !== undefined)) return 'W3';
  if (more(({ status }) => status === 'started')) return 'W2';
  return run.owner === null ? 'W6' : 'heartbeat';
}

import { AgentStateError, type Burial, layoutVersion, type StoreWrite } from '@agent-state/core';

/** Redis takes at most 1,048,576 arguments in one command, and closes the connection on more. */
const maxArguments = 1_000_000;

const layout = String(layoutVersion);

/** For the peek and load scripts. */
export const readArguments: readonly string[] = [layout];

/** For the save script; see there. */
export function saveArguments(write: StoreWrite): string[] {
  const { expected, expectedLength, control, head, variables, messages, steps, expiresInMs, replaces } = write;
  const prefix = `m:${control.generation}:`;
  // How many messages may be stored ahead: a load looks for as many.
  const open = write.state.run?.calls.length ?? 0;
  const args = [
    layout,
    expected === null ? 'create' : 'update',
    (expected === null ? control.life.after : expected) ?? '',
    String(expectedLength),
    expiresInMs === null ? '' : String(expiresInMs),
    replaces && expected !== null ? prefix : '',
  ];
  for (const { index, text } of messages) args.push(`${prefix}${index}`, text);
  for (const { index, text } of steps) args.push(`s:${index}`, text);
  if (variables) args.push('variables', variables.text);
  args.push('head', head.text, 'control', JSON.stringify({ ...control, open }));
  assertSendable(args.length);
  return args;
}

export function stepsArguments(from: number, limit: number): string[] {
  return [layout, ...Array.from({ length: limit }, (_, offset) => `s:${from + offset}`)];
}

export function buryArguments(burial: Burial): string[] {
  const was = burial.born === null ? (burial.was ?? '') : '';
  return [layout, burial.born ?? '', was, burial.tombstone, String(burial.keepMs)];
}

function assertSendable(count: number): void {
  if (count <= maxArguments) return;
  throw new AgentStateError(
    'too_large',
    'One save holds too many messages and steps for Redis: about 500,000 are possible. Nothing was written.',
    { path: 'history' },
  );
}

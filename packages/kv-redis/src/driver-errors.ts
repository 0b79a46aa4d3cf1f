/** What clients say of a command that they did not send. */
const nothingSent = [
  'The client is offline',
  'The client is closed',
  "Stream isn't writeable and enableOfflineQueue options is false",
];

/**
 * The first word of an error reply: what kind it is. Redis before 7 wraps what a command inside a script said. `AUTH`,
 * `NOPERM` in a script and `UNKNOWN` stand for replies that have no word of their own. Empty where the error is no reply.
 */
export function replyWord(error: unknown): string {
  const message = messageOf(error);
  if (/^ERR .*\bAUTH\b/.test(message)) return 'AUTH';
  if (/^ERR .*can't run this command/.test(message)) return 'NOPERM';
  if (/^ERR unknown command/i.test(message)) return 'UNKNOWN';
  return /^(?:ERR Error running script.*?[-: ])?([A-Z]{3,})\b/.exec(message)?.[1] ?? '';
}

/** Whether the client says that it has not sent the command. */
export function isNothingSent(error: unknown): boolean {
  const message = messageOf(error);
  return nothingSent.some((said) => message.startsWith(said));
}

/**
 * A copy that is safe to keep: clients attach the command with its arguments, or the URL with its password, and the
 * server quotes the arguments of a command that it does not know.
 */
export function sanitized(error: unknown): Error {
  const message = messageOf(error)
    .replace(/,? with args beginning with.*$/is, '')
    .replace(/\/\/[^@/\s]*@/g, '//***@')
    .slice(0, 300);
  const { code } = (error ?? {}) as { code?: unknown };
  const name = error instanceof Error ? error.constructor.name : 'Error';
  return Object.assign(new Error(message), { name, ...(typeof code === 'string' ? { code } : {}) });
}

/** An AggregateError, which a host of several addresses gives, has nothing to say itself. */
function messageOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error ? first.message : 'no error';
}

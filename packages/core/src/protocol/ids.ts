import { AgentStateError } from './errors.ts';

/** The longest thread id, in bytes of UTF-8. */
export const maxThreadIdBytes = 256;

const controlCharacters = /\p{Cc}/u;

/**
 * Refuses, before any I/O, what cannot be a thread id: 1 to 256 bytes of well-formed UTF-8 without control characters.
 * The id itself is data and never a pattern.
 */
export function assertThreadId(threadId: unknown): asserts threadId is string {
  const fault = faultOf(threadId);
  if (fault) throw new AgentStateError('invalid_thread_id', `The thread id ${fault}.`);
}

function faultOf(threadId: unknown): string | undefined {
  if (typeof threadId !== 'string') return `has to be a string, not ${threadId === null ? 'null' : typeof threadId}`;
  if (threadId === '') return 'is empty';
  if (!threadId.isWellFormed()) return 'has a lone surrogate';
  if (controlCharacters.test(threadId)) return 'has a control character';
  const bytes = Buffer.byteLength(threadId);
  if (bytes > maxThreadIdBytes) return `has ${bytes} bytes; ${maxThreadIdBytes} are allowed`;
  return undefined;
}

/** The longest namespace, in bytes of UTF-8. */
const maxNamespaceBytes = 120;

/** Refuses what cannot be a namespace; a programmer's mistake, so a `configuration` error at construction. */
export function assertNamespace(namespace: unknown): asserts namespace is string {
  if (
    typeof namespace !== 'string' ||
    namespace === '' ||
    !namespace.isWellFormed() ||
    controlCharacters.test(namespace) ||
    Buffer.byteLength(namespace) > maxNamespaceBytes
  ) {
    throw new AgentStateError(
      'configuration',
      `A namespace has to be a string of 1 to ${maxNamespaceBytes} bytes of UTF-8 without control characters.`,
      { path: 'namespace' },
    );
  }
}

/**
 * One part of a key, such that joined parts can always be told apart: every character that a store, a pattern or a
 * separator could mean something by is percent-encoded. Injective; the property test is in `ids.test.ts`.
 */
export function keyPart(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*~.]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

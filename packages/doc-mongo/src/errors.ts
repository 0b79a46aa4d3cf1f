import { AgentStateError, type ErrorCode, isAgentStateError } from '@agent-state/core';
import {
  MongoAPIError,
  MongoClientClosedError,
  MongoDriverError,
  MongoError,
  MongoExpiredSessionError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb';

/** What the server says about a call that it did not do, by its error code; every other code leaves that open. */
const meanings: Readonly<Record<number, ErrorCode>> = {
  13: 'denied', // Unauthorized
  18: 'denied', // AuthenticationFailed
  121: 'denied', // DocumentValidationFailure: a validator of the collection's owner
  8000: 'denied', // AtlasError, mostly a wrong password
  20: 'configuration', // IllegalOperation
  26: 'configuration', // NamespaceNotFound
  67: 'configuration', // CannotCreateIndex
  73: 'configuration', // InvalidNamespace
  85: 'configuration', // IndexOptionsConflict
  86: 'configuration', // IndexKeySpecsConflict
  166: 'configuration', // CommandNotSupportedOnView
  10334: 'too_large', // BSONObjectTooLarge
  17419: 'too_large',
  17420: 'too_large',
};

/** Refused before it began: not primary, no disk space, write conflict. */
const notApplied: ReadonlySet<unknown> = new Set([10107, 13435, 13436, 14031, 112]);

export const duplicateKey = 11000;

/** Also where a call names an index that there is not. */
export const badValue = 2;

export function hasCode(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code;
}

/**
 * What the driver threw, as an error of the protocol. `changes` says whether the call may have changed something: only
 * then can it have been applied. A fault of ours is passed on as it is.
 */
export function asAgentStateError(error: unknown, changes: boolean): unknown {
  if (isAgentStateError(error)) return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  const details = { cause: safeCause(error) };
  if (code !== 'unavailable') return new AgentStateError(code, sentences[code] ?? 'MongoDB refused.', details);
  const applied = changes && mayBeApplied(error) ? 'maybe' : 'no';
  return new AgentStateError(code, 'MongoDB did not do what it was asked, or did not say so.', { ...details, applied });
}

const sentences: Partial<Record<ErrorCode, string>> = {
  denied: 'MongoDB refused this user, or what it wanted to do.',
  configuration: 'MongoDB cannot be used as it is set up here.',
  too_large: 'The thread has a part that does not fit in a MongoDB document; nothing was written.',
};

function codeOf(error: unknown): ErrorCode | undefined {
  if (error instanceof RangeError) return 'too_large';
  if (!(error instanceof MongoError)) return isFromSocket(error) ? 'unavailable' : undefined;
  if (error instanceof MongoWriteConcernError) return 'unavailable';
  if (error instanceof MongoServerError) return meanings[Number(error.code)] ?? 'unavailable';
  if (isOutage(error)) return 'unavailable';
  if (/larger than the maximum size/.test(error.message)) return 'too_large';
  return error instanceof MongoAPIError || error.name === 'MongoParseError' ? 'configuration' : 'unavailable';
}

/** Now and then the driver passes on what Node says of a socket (`EPIPE`, as it is) in place of an error of its own. */
function isFromSocket(error: unknown): error is Error {
  return (
    error instanceof Error && !(error instanceof TypeError) && typeof (error as { code?: unknown }).code === 'string'
  );
}

/** These are not the caller's mistake, though the driver counts them among its API errors. */
function isOutage(error: MongoError): boolean {
  return error instanceof MongoNotConnectedError || isOfClosing(error);
}

/** What calls under way get when their client is closed, as a reset does: whether they had been sent is left open. */
function isOfClosing(error: unknown): boolean {
  return (
    error instanceof MongoTopologyClosedError ||
    error instanceof MongoClientClosedError ||
    error instanceof MongoExpiredSessionError
  );
}

function mayBeApplied(error: unknown): boolean {
  if (error instanceof MongoWriteConcernError) return true;
  if (error instanceof MongoServerError) return !notApplied.has(error.code);
  if (error instanceof MongoNetworkError) return !neverSent(error);
  if (isOfClosing(error)) return true;
  return !(error instanceof MongoServerSelectionError || error instanceof MongoDriverError);
}

/** No connection was to be had, so nothing went out on one. */
function neverSent(error: MongoNetworkError): boolean {
  // The driver has this on its errors, but not in its types.
  const { beforeHandshake } = error as { beforeHandshake?: boolean };
  return beforeHandshake === true || error.name === 'MongoPoolClearedError';
}

/**
 * The cause without what it may carry: the driver's errors hold commands, a server's messages quote documents and ids,
 * and a url has its password.
 */
function safeCause(error: unknown): Error {
  const { name, code, codeName, message } = error as MongoError & { codeName?: string };
  const isPlain =
    error instanceof MongoNetworkError || error instanceof MongoServerSelectionError || isFromSocket(error);
  const shown = isPlain ? message.replace(/\/\/[^@/\s]*@/g, '//') : (codeName ?? 'details are left out');
  const cause = Object.assign(new Error(code === undefined ? shown : `${shown} (${code})`), { code });
  cause.name = name;
  return cause;
}

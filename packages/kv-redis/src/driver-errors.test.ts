import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isNothingSent, replyWord, sanitized } from './driver-errors.ts';
import { toError } from './errors.ts';

describe('what clients and servers say', () => {
  test.each([
    ["READONLY You can't write against a read only replica. script: 1, on @user_script:1.", 'READONLY'],
    ["ERR Error running script (call to f_1): @user_script:1: -READONLY You can't write", 'READONLY'],
    ['ERR Error running script (call to f_1): @user_script: 1: -OOM command not allowed when used memory', 'OOM'],
    ['ERR AUTH <password> called without any password configured for the default user.', 'AUTH'],
    ["ERR The user executing the script can't run this command or subcommand script: 1", 'NOPERM'],
    ["ERR unknown command 'EVALSHA', with args beginning with: 'secret'", 'UNKNOWN'],
    ['ERR max number of clients reached', 'ERR'],
    ['connect ECONNREFUSED 127.0.0.1:6379', ''],
    ['Socket closed unexpectedly', ''],
  ])('%s', (message, word) => {
    expect(replyWord(new Error(message))).toBe(word);
  });

  test.each(['READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'MOVED', 'ASK', 'TRYAGAIN', 'NOREPLICAS', 'OOM'])(
    '%s is unavailable, not applied',
    (word) => {
      expect(toError(new Error(`${word} of some kind`), 'sent', 't')).toMatchObject({
        code: 'unavailable',
        applied: 'no',
      });
    },
  );

  test.each(['MISCONF', 'BUSY'])('%s is unavailable, not applied', (word) => {
    expect(toError(new Error(`${word} of some kind`), 'sent', 't')).toMatchObject({
      code: 'unavailable',
      applied: 'no',
    });
  });

  test.each(['NOAUTH', 'NOPERM', 'WRONGPASS'])('%s is denied', (word) => {
    expect(toError(new Error(`${word} of some kind`), 'sent', 't')).toMatchObject({ code: 'denied' });
  });

  test('a lost connection may have been applied once the command was sent, and not before', () => {
    const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    expect(toError(lost, 'sent', 't')).toMatchObject({ code: 'unavailable', applied: 'maybe', threadId: 't' });
    expect(toError(lost, 'connecting', 't')).toMatchObject({ code: 'unavailable', applied: 'no' });
  });

  test('a client that did not send says so', () => {
    expect(isNothingSent(new Error('The client is offline'))).toBe(true);
    expect(isNothingSent(new Error('Connection is closed.'))).toBe(false);
  });

  test('an error of several addresses is told by its first', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED ::1:1'), { code: 'ECONNREFUSED' });
    const error = sanitized(Object.assign(new AggregateError([refused]), { code: 'ECONNREFUSED' }));
    expect(error).toMatchObject({ message: 'connect ECONNREFUSED ::1:1', code: 'ECONNREFUSED' });
  });

  test('neither a password nor an argument is kept', () => {
    const error = Object.assign(
      new Error("ERR unknown command 'EVALSHA', with args beginning with: 'S3CRET' at redis://u:S3CRET@host"),
      { command: { name: 'evalsha', args: ['S3CRET'] }, input: 'redis://u:S3CRET@host' },
    );
    expect(inspect(toError(error, 'sent', 't'), { depth: 9 })).not.toContain('S3CRET');
    expect(sanitized(new Error('Invalid URL redis://u:S3CRET@host')).message).toBe('Invalid URL redis://***@host');
  });
});

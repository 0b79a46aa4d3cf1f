import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AgentStateError, isAgentStateError } from './errors.ts';

describe('an error of ours', () => {
  it('is known by its marker, also one that another copy of this package made', () => {
    const foreign = Object.assign(new Error('x'), { [Symbol.for('agent-state.error')]: true, code: 'conflict' });
    expect(isAgentStateError(foreign)).toBe(true);
    expect(isAgentStateError(foreign, 'conflict')).toBe(true);
    expect(isAgentStateError(foreign, 'deleted')).toBe(false);
  });

  it.each([undefined, null, 7, 'conflict', {}, new Error('x'), { code: 'conflict' }])('is not %s', (value) => {
    expect(isAgentStateError(value)).toBe(false);
  });

  it('is not what cannot be asked', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(isAgentStateError(proxy)).toBe(false);
    expect(isAgentStateError(proxy, 'model')).toBe(false);
  });

  it('has its code, its details and its cause, and nothing that was not given', () => {
    const cause = new Error('socket');
    const error = new AgentStateError('unavailable', 'Down.', { threadId: 't', applied: 'maybe', cause });
    expect(error).toMatchObject({
      name: 'AgentStateError',
      code: 'unavailable',
      threadId: 't',
      applied: 'maybe',
      cause,
    });
    expect('cause' in new AgentStateError('busy', 'x')).toBe(false);
    expect(inspect(error)).toContain('unavailable');
  });
});

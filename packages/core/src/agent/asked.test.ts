import { describe, expect, it } from 'vitest';
import { createWorld, says } from '../testing/agents.ts';

/** A process, and what a call of its agent was refused with. */
function asking() {
  const bot = createWorld().process([says('hello')]);
  const refused = async (running: () => Promise<unknown>) => {
    const error: unknown = await Promise.resolve()
      .then(running)
      .catch((error: unknown) => error);
    expect(bot.client.calls).toEqual([]);
    expect(bot.requests).toEqual([]);
    return error;
  };
  return { agent: bot.agent, refused };
}

async function drained(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

describe('what a run is asked with is refused before anything is read or written', () => {
  it.each<[unknown, string, string]>([
    [null, 'invalid_argument', 'options'],
    [{ inputID: 'a' }, 'invalid_argument', 'inputID'],
    [{ onBusy: 'x' }, 'invalid_argument', 'onBusy'],
    [{ onPaused: 'x' }, 'invalid_argument', 'onPaused'],
    [{ history: 'hi' }, 'invalid_argument', 'history'],
    [{ history: null }, 'invalid_argument', 'history'],
    [{ history: { 0: 'hi', length: 1 } }, 'invalid_argument', 'history'],
    [{ signal: {} }, 'invalid_argument', 'signal'],
    [{ signal: null }, 'invalid_argument', 'signal'],
    [{ signal: new AbortController() }, 'invalid_argument', 'signal'],
    [{ inputId: 5 }, 'invalid_argument', 'inputId'],
    [{ inputId: 'a', retry: 'no' }, 'invalid_argument', 'retry'],
  ])('%j', async (options, code, path) => {
    const { agent, refused } = asking();
    expect(await refused(() => agent.run('hi', options as never))).toMatchObject({ code, path });
    expect(await refused(() => drained(agent.stream('hi', options as never)))).toMatchObject({ code, path });
  });

  it('a retry of an input without a name: nobody could send it again', async () => {
    const { agent, refused } = asking();
    const error = await refused(() => agent.run('hi', { retry: true }));
    expect(error).toMatchObject({ code: 'invalid_argument', path: 'inputId' });
  });

  it.each<[unknown, string, string]>([
    [null, 'invalid_argument', 'options'],
    [{ onbusy: 'wait' }, 'invalid_argument', 'onbusy'],
    [{ onBusy: 'x' }, 'invalid_argument', 'onBusy'],
    [{ signal: {} }, 'invalid_argument', 'signal'],
  ])('a resume with %j', async (options, code, path) => {
    const { agent, refused } = asking();
    expect(await refused(() => agent.resume(options as never))).toMatchObject({ code, path });
    expect(await refused(() => drained(agent.resumeStream(options as never)))).toMatchObject({ code, path });
  });

  it('and what is well is taken', async () => {
    const { agent } = asking();
    const { signal } = new AbortController();
    const options = { history: [], inputId: 'a', retry: false, signal };
    expect(await agent.run('hi', options)).toMatchObject({ answer: 'hello' });
    await expect(drained(agent.resumeStream({ signal }))).resolves.toBeUndefined();
  });
});

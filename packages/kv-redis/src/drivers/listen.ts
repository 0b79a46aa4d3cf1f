import type { Emitter } from './driver.ts';

/** Errors reach the caller by the call that they fail; the event is only kept from ending the process. */
const ignore = (): void => {};

/** Attaches the `error` listener without which a client ends the process when its server dies. Returns its undoing. */
export function ignoreErrorEvents(client: Emitter): () => void {
  client.on('error', ignore);
  return () => void client.off('error', ignore);
}

/** Resolves with the first of `good`, rejects with the first of `bad`; leaves no listener behind. */
export function firstOf(client: Emitter, good: readonly string[], bad: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      for (const event of good) client.off(event, succeed);
      for (const event of bad) client.off(event, fail);
      act();
    };
    const succeed = (): void => settle(resolve);
    const fail = (reason?: unknown): void =>
      settle(() => reject(reason instanceof Error ? reason : new Error('The connection was closed.')));
    for (const event of good) client.on(event, succeed);
    for (const event of bad) client.on(event, fail);
  });
}

/** At most one `attempt` at a time: who asks while it is under way gets the same answer. */
export function shared(attempt: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  return () => {
    underWay ??= attempt().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

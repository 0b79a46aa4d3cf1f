import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Ended, Order, Report, Work } from './holder.ts';

const program = fileURLToPath(new URL('../../dist/concurrency/holder.js', import.meta.url));

/** What a holder does on one thread. */
export interface Job {
  /** Resolves once it is there: at an event, in `hold` or in `think`. */
  at(place: string): Promise<void>;
  /** Lets it go on from wherever it holds, now and later. */
  release(): void;
  readonly ended: Promise<Ended>;
}

/** A process of its own on a store, that works on threads as it is told. */
export interface Holder {
  begin(work: Work): Job;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): void;
}

export async function startHolder(store: string, url: string): Promise<Holder> {
  const child = fork(program, [store, url], { execArgv: [] });
  await once(child, 'message');
  child.setMaxListeners(100);
  return {
    signal: (name) => void child.kill(name),
    stop: () => void child.kill('SIGKILL'),
    begin(work) {
      const { threadId } = work;
      const places: string[] = [];
      const waiting = new Map<string, () => void>();
      const tell = (order: Order): void => void child.send(order);
      const ended = new Promise<Ended>((resolve) => {
        child.on('message', function listen(report: Report) {
          if (report.threadId !== threadId) return;
          if ('at' in report) {
            places.push(report.at);
            waiting.get(report.at)?.();
          } else {
            child.off('message', listen);
            resolve(report.ended);
          }
        });
      });
      tell(work);
      return {
        ended,
        release: () => tell({ release: threadId }),
        at: (place) =>
          new Promise((resolve) => (places.includes(place) ? resolve() : void waiting.set(place, resolve))),
      };
    },
  };
}

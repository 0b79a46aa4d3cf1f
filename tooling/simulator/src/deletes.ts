import type { Burial } from '@agent-state/core';
import type { Asked } from './asked.ts';
import type { Process } from './process.ts';
import type { Scene, Writer } from './scene.ts';
import type { Stored } from './store.ts';

interface Deletion {
  readonly threadId: string;
  readonly asked: Asked;
  /** When the first life or tombstone that it saw was gone. */
  readonly at: number;
  readonly tombstones: Set<string>;
  acknowledged: boolean;
}

/** Deletes: what began before one never comes back after it. */
export interface Deletes {
  /** Threads that somebody tried to delete. */
  readonly tried: Set<string>;
  /** When the run at work on a thread began in a process: when its turn came. */
  began(process: Process, threadId: string): void;
  /** It was told what is stored, or had to begin without; what comes first counts. */
  read(process: Process, threadId: string): void;
  buried(threadId: string, before: Stored | undefined, burial: Burial, writer: Writer): void;
  acknowledged(asked: Asked): void;
  created(threadId: string, after: Stored, writer: Writer): void;
  /** Whether a life of the thread ended with a delete. */
  readonly ended: Set<string>;
}

export function createDeletes(scene: Scene): Deletes {
  const { scheduler } = scene;
  const deletions: Deletion[] = [];
  const firstReads = new Map<string, number>();
  const waiting = new Set<string>();
  const lives = new Map<string, string>();
  const ended = new Set<string>();
  return {
    tried: new Set(),
    ended,
    began: (process, threadId) => void waiting.add(`${process.id} ${threadId}`),
    read(process, threadId) {
      const name = `${process.id} ${threadId}`;
      if (waiting.delete(name)) firstReads.set(name, scheduler.now());
    },
    buried(threadId, before, { tombstone }, { asked }) {
      scene.trace(`  BURIED ${threadId} ${tombstone}`);
      if (!asked) return scene.broken('deletes', `an agent deleted ${threadId}`);
      const known = deletions.find((deletion) => deletion.asked === asked);
      const after = before?.control.life.after ?? null;
      if (known && after !== null && known.tombstones.has(after)) {
        scene.broken('deletes', `a delete of ${threadId} ate the life begun over its own tombstone`);
      }
      if (before) ended.add(before.control.life.born);
      if (known) known.tombstones.add(tombstone);
      else
        deletions.push({ threadId, asked, at: scheduler.now(), tombstones: new Set([tombstone]), acknowledged: false });
    },
    acknowledged(asked) {
      for (const deletion of deletions) if (deletion.asked === asked) deletion.acknowledged = true;
    },
    created(threadId, { control }, { process, asked }) {
      const { born } = control.life;
      const former = lives.get(threadId);
      lives.set(threadId, born);
      if (scene.tainted.has(threadId) || asked) return;
      if (former && !ended.has(former)) scene.broken('lives', `${threadId} began anew, and had not been deleted`);
      const first = firstReads.get(`${process.id} ${threadId}`);
      if (first === undefined) return;
      const late = deletions.some(
        (deletion) => deletion.threadId === threadId && deletion.acknowledged && deletion.at > first,
      );
      if (late)
        scene.broken('deletes', `${threadId} was made by a run of ${process.id} that began before it was deleted`);
    },
  };
}

import { type Checkpointer, defineCheckpointer } from '@agent-state/core';
import { type KvCheckpointerOptions, settingsOf } from './options.ts';
import { createKvStore } from './store.ts';

/**
 * A checkpointer over any Keyv. The whole thread is written with every save, and **two writers of one thread are not
 * kept apart**. Throws `configuration` for a Keyv that hides its errors.
 */
export function createKvCheckpointer(options: KvCheckpointerOptions): Checkpointer {
  return defineCheckpointer(createKvStore(settingsOf(options)));
}

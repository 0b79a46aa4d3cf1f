import { createKvCheckpointer } from '@agent-state/kv';
import KeyvRedis from '@keyv/redis';
import { Keyv } from 'keyv';
import { closing, type Open } from './store.ts';
import { timeouts } from './timeouts.ts';

export const open: Open = ([url = '']) => {
  const adapter = new KeyvRedis({ url, disableOfflineQueue: true }, { throwOnErrors: true });
  const keyv = new Keyv(adapter, { throwOnErrors: true });
  // A Keyv without a listener throws what its calls have already rejected with.
  keyv.on('error', () => {});
  return closing(createKvCheckpointer({ keyv, timeoutMs: timeouts.commandTimeoutMs }), () => keyv.disconnect());
};

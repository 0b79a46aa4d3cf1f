import type { CheckpointerAdapter } from '@agent-state/core';
import { createRedisCheckpointer } from './checkpointer.ts';
import { assertUrl, misconfigured } from './options.ts';

/** For a settings file with `backend = "redis"`. Its `provider` table holds `uri` (or `url`): redis://… or rediss://…. */
export const redisAdapter: CheckpointerAdapter = Object.freeze<CheckpointerAdapter>({
  backends: Object.freeze(['redis']),
  strategy: 'kv_store',
  providerKeys: Object.freeze(['uri', 'url']),
  connect({ provider, namespace }) {
    return createRedisCheckpointer({ url: urlOf(provider), namespace });
  },
});

function urlOf({ uri, url }: Readonly<Record<string, unknown>>): string {
  if ((uri === undefined) === (url === undefined)) {
    throw misconfigured('provider.uri', 'A redis connection needs provider.uri.');
  }
  const given = uri ?? url;
  assertUrl(given);
  return given;
}

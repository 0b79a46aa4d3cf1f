import type { KeyvStoreAdapter } from 'keyv';

/** A store adapter of Keyv over a Map, with some of its methods replaced. */
export function mapAdapter(map: Map<string, unknown>, parts: object = {}): KeyvStoreAdapter {
  const adapter = {
    opts: {},
    get: async (key: string) => map.get(key),
    has: async (key: string) => map.has(key),
    set: async (key: string, value: unknown) => void map.set(key, value),
    delete: async (key: string) => map.delete(key),
    clear: async () => map.clear(),
    on: () => adapter,
    ...parts,
  };
  // Its `get` gives whatever was set; Keyv's type promises each caller the type that he asks for.
  return adapter as unknown as KeyvStoreAdapter;
}

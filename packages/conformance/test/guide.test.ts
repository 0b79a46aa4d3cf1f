import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { conformance } from '../src/vitest.ts';

/** The adapter of the guide, as a reader would copy it, passes the suite that the guide tells them to run. */
const guide = readFileSync(new URL('../../../docs/writing-an-adapter.md', import.meta.url), 'utf8');
const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(guide) ?? [];
const folder = fileURLToPath(new URL('../node_modules/.guide/', import.meta.url));
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}adapter.ts`, code);
const { createMapCheckpointer } = await import(/* @vite-ignore */ `${folder}adapter.ts`);

conformance({
  name: "the guide's adapter",
  async create() {
    const data = new Map<string, string>();
    return {
      open: async () => createMapCheckpointer(data),
      raw: async () => [...data].flat(),
      close: async () => data.clear(),
    };
  },
});

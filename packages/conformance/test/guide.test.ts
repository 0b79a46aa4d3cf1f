import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cases } from '../src/index.ts';
import { conformance } from '../src/vitest.ts';

/** The adapter of the guide, as a reader would copy it, passes the suite that the guide tells them to run. */
const guide = readFileSync(new URL('../../../docs/writing-an-adapter.md', import.meta.url), 'utf8');
const folder = fileURLToPath(new URL('../node_modules/.guide/', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const [, code = '', name = ''] of guide.matchAll(/```ts\n(\/\/ ([\w-]+\.ts)\n[\s\S]*?)```/g)) {
  writeFileSync(`${folder}${name}`, code);
}
const { createMapCheckpointer } = await import(/* @vite-ignore */ `${folder}map-checkpointer.ts`);
const { mapAdapter } = await import(/* @vite-ignore */ `${folder}map-adapter.ts`);

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

let places = 0;
const opened = {
  name: "the guide's adapter, as a settings file opens it",
  async create() {
    places += 1;
    const provider = { place: `place ${places}` };
    const openIn = async (namespace: string) => mapAdapter.connect({ name: 'main', provider, namespace });
    return { open: () => openIn('threads'), openIn, close: async () => {} };
  },
};
conformance(opened, { cases: cases.filter(({ id }) => id.startsWith('isolation/')) });

test("the guide's adapter names a setting that it cannot use", () => {
  const connect = () => mapAdapter.connect({ name: 'main', provider: {}, namespace: 'threads' });
  expect(connect).toThrow(expect.objectContaining({ code: 'configuration', path: 'provider.place' }));
});

test("the guide's peer range is the one that this package has", () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const range = manifest.peerDependencies['@agent-state/core'].replace('workspace:', '');
  expect(guide).toContain(`\`${range}\``);
});

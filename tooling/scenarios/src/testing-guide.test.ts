import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The tests of the guide, as a reader would copy them, are tests of ours. */
const guide = readFileSync(new URL('../../../docs/testing-your-agent.md', import.meta.url), 'utf8');
const folder = fileURLToPath(new URL('../node_modules/.guide/', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const [, code = '', name = ''] of guide.matchAll(/```ts\n(\/\/ ([\w.]+)\n[\s\S]*?)```/g)) {
  writeFileSync(`${folder}${name}`, code);
}
await import(/* @vite-ignore */ `${folder}bot.test.ts`);

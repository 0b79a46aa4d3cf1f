import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { says } from '../agent.ts';
import { openedByCode, settingsFiles, startConfigured } from './configured.ts';

/** Memory is its process's own: nothing of it is there to be found. */
const shared = settingsFiles.filter(([name]) => name in openedByCode);

it.each(shared)('a thread of a settings file on %s is there for code that names no namespace', async (name, text) => {
  const threadId = randomUUID();
  const process = await startConfigured(text, [says('Done.')]);
  await process.agent(threadId).run('Go');
  const store = openedByCode[name]?.();
  onTestFinished(async () => store?.close());
  expect(await store?.load(threadId)).toMatchObject({ found: true });
});

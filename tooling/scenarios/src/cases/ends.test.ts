import { fileURLToPath } from 'node:url';
import { freePort } from '@agent-state/services';
import { startScript } from '@agent-state/services/children';
import type {} from '@agent-state/services/vitest';
import { expect, inject, it, onTestFinished } from 'vitest';

const child = fileURLToPath(new URL('../../dist/cases/ends/child.js', import.meta.url));

/** What a script says before it ends by itself, soon after. */
async function endOf(...args: string[]): Promise<readonly string[]> {
  const script = startScript(child, ...args);
  onTestFinished(() => script.signal('SIGKILL'));
  await script.said('end: ');
  const said = performance.now();
  await script.ended();
  expect(performance.now() - said).toBeLessThan(3_000);
  return script.lines;
}

it('[S-REC-04] a script that used memory ends by itself, without having closed anything', async () => {
  expect(await endOf()).toEqual(['end: stored']);
});

const redisUrl = inject('redisUrl');

it.skipIf(!redisUrl)('[S-REC-04] a script that used Redis and closed it ends by itself', async () => {
  expect(await endOf(String(redisUrl))).toEqual(['end: stored']);
});

it('[S-REC-04] a script whose Redis was down ends by itself', async () => {
  expect(await endOf(`redis://127.0.0.1:${await freePort()}`)).toEqual([
    'warning: The store is unavailable: threads go on in memory only until it is back.',
    'end: in memory',
  ]);
});

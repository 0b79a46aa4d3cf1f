import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { isMissing } from '../missing.ts';
import { openMongo } from './open-mongo.ts';
import { startMongo } from './start-mongo.ts';

const mongo = await startMongo();
if (isMissing(mongo)) test.skip(`a MongoDB named by MONGODB_URI (${mongo.missing})`);
else {
  afterEach(() => vi.unstubAllEnvs());
  afterAll(() => mongo.stop());

  test('a MongoDB named by MONGODB_URI is used as it is, and left running', async () => {
    vi.stubEnv('MONGODB_URI', mongo.url);
    const opened = await openMongo();
    expect(opened).toMatchObject({ url: mongo.url, version: mongo.version, from: 'MONGODB_URI' });
    if (!isMissing(opened)) await opened.stop();
    expect(await mongo.command({ ping: 1 })).toMatchObject({ ok: 1 });
  });
}

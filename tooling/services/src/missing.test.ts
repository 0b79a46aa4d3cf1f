import { afterEach, expect, test, vi } from 'vitest';
import { isMissing, missing } from './missing.ts';

afterEach(() => vi.unstubAllEnvs());

test('a missing service is something to skip by, and says what would help', () => {
  vi.stubEnv('CI', '');
  const service = missing('some-server', 'install it');
  expect(isMissing(service)).toBe(true);
  expect(service.missing).toBe('some-server is missing: install it');
});

test('in CI a missing service is an error, for a skip there would look like a pass', () => {
  vi.stubEnv('CI', 'true');
  expect(() => missing('some-server', 'install it')).toThrow('install it');
});

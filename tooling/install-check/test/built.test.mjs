import { expect, test } from 'vitest';
import { assertBuilt } from '../src/workspace.mjs';

test('a package that is not built is named, and the command that builds it', () => {
  const exports = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } };
  const one = { name: '@agent-state/x', folder: 'packages/x', manifest: { publishConfig: { exports } } };
  expect(() => assertBuilt([one])).toThrow(/npm run build[\s\S]+packages\/x\/dist\/index\.js/);
});

import { describe, expect, test } from 'vitest';
import { longFiles } from '../src/long-files.mjs';
import { readRepository, repositoryOf } from '../src/repository.mjs';
import { adaptersNeedCoreOnly } from '../src/rules/adapters-need-core-only.mjs';
import { borders } from '../src/rules/borders.mjs';
import { conformanceStandsAlone } from '../src/rules/conformance-stands-alone.mjs';
import { coreFolders } from '../src/rules/core-folders.mjs';
import { coreStandsAlone } from '../src/rules/core-stands-alone.mjs';
import { links } from '../src/rules/links.mjs';
import { linterGuards } from '../src/rules/linter-guards.mjs';
import { machinePaths } from '../src/rules/machine-paths.mjs';
import { publicPackages } from '../src/rules/public-packages.mjs';
import { registryAddresses } from '../src/rules/registry-addresses.mjs';

/** A repository made of these files; objects become JSON. */
const repository = (files) =>
  repositoryOf(
    Object.entries(files).map(([path, content]) => ({
      path,
      text: typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    })),
  );

describe('no relative import crosses a border', () => {
  const at = (specifier) => borders(repository({ 'packages/kv/src/deep/x.ts': `import { a } from '${specifier}';` }));

  test('inside the package it may climb', () => expect(at('../y.ts')).toEqual([]));
  test('out of the package it may not', () => expect(at('../../../core/src/index.ts')).toHaveLength(1));

  test.each([
    "export { a } from '../../core/src/a.ts';",
    "import '../../core/src/a.ts';",
    "const a = await import('../../core/src/a.ts');",
    "import {\n  a,\n} from '../../core/src/a.ts';",
  ])('%j is seen', (text) => {
    expect(borders(repository({ 'packages/kv/src/x.ts': text }))[0]).toContain('packages/kv/src/x.ts imports');
  });

  test('a comment is not an import', () => {
    const text = "// import { a } from '../../core/src/a.ts';\n/* import '../../core/x.ts' */\n";
    expect(borders(repository({ 'packages/kv/src/x.ts': text }))).toEqual([]);
  });
});

describe('inside the core knowledge goes one way', () => {
  const at = (path, specifier) =>
    coreFolders(repository({ [`packages/core/src/${path}`]: `import { a } from '${specifier}';` }));

  test.each([
    ['agent/record/x.ts', '../saving/hold.ts'],
    ['agent/record/x.ts', '../api.ts'],
    ['agent/saving/x.ts', '../run/run.ts'],
    ['threads/x.ts', '../agent/run/outcome.ts'],
    ['threads/x.ts', '../agent/factory.ts'],
    ['state/x.ts', '../agent/record/x.ts'],
  ])('%s does not import %s', (path, specifier) => expect(at(path, specifier)).toHaveLength(1));

  test.each([
    ['agent/record/x.ts', '../../state/schema.ts'],
    ['agent/saving/x.ts', '../record/fork.ts'],
    ['agent/run/x.ts', '../saving/hold.ts'],
    ['threads/x.ts', '../agent/record/fork.ts'],
    ['agent/record/x.test.ts', '../run/run.ts'],
  ])('%s may import %s', (path, specifier) => expect(at(path, specifier)).toEqual([]));
});

describe('adapters need core and nothing else of ours', () => {
  const manifest = (fields) => adaptersNeedCoreOnly(repository({ 'packages/kv-redis/package.json': fields }));

  test('core as a peer, the suite and the servers for tests', () => {
    const peerDependencies = { '@agent-state/core': '*', ioredis: '*' };
    const devDependencies = { '@agent-state/conformance': '*', '@agent-state/services': '*' };
    expect(manifest({ peerDependencies, devDependencies })).toEqual([]);
  });

  test('not another adapter, at run time or for tests', () => {
    expect(manifest({ dependencies: { '@agent-state/kv': '*' } })).toHaveLength(1);
    expect(manifest({ devDependencies: { '@agent-state/kv': '*' } })).toHaveLength(1);
  });

  test('the suite is imported by tests only', () => {
    const text = "import { suite } from '@agent-state/conformance/vitest';";
    expect(adaptersNeedCoreOnly(repository({ 'packages/kv/src/x.test.ts': text }))).toEqual([]);
    expect(adaptersNeedCoreOnly(repository({ 'packages/kv/src/x.ts': text }))).toHaveLength(1);
  });
});

describe('core stands alone', () => {
  test('valibot is its only dependency', () => {
    const of = (dependencies) => coreStandsAlone(repository({ 'packages/core/package.json': { dependencies } }));
    expect(of({ valibot: '1' })).toEqual([]);
    expect(of({ valibot: '1', keyv: '5' })).toHaveLength(1);
  });

  test('it imports nothing of ours, in tests neither', () => {
    const text = "import { memory } from '@agent-state/kv-memory';";
    expect(coreStandsAlone(repository({ 'packages/core/src/x.ts': text }))).toHaveLength(1);
    expect(coreStandsAlone(repository({ 'packages/core/src/x.test.ts': text }))).toHaveLength(1);
  });
});

describe('conformance stands alone', () => {
  const at = (path, text) => conformanceStandsAlone(repository({ [`packages/conformance/src/${path}`]: text }));

  test('it knows no adapter, except in its own tests', () => {
    expect(at('cases.ts', "import { memory } from '@agent-state/kv-memory';")).toHaveLength(1);
    expect(at('cases.test.ts', "import { memory } from '@agent-state/kv-memory';")).toEqual([]);
  });

  test('it knows no test runner, except in the binding to it', () => {
    expect(at('cases.ts', "import { test } from 'vitest';")).toHaveLength(1);
    expect(at('vitest.ts', "import { test } from 'vitest';")).toEqual([]);
    expect(at('vitest.ts', "import { test } from 'node:test';")).toHaveLength(1);
  });
});

describe('the linter keeps its guards', () => {
  const rules = {
    suspicious: { noExplicitAny: 'error' },
    style: { noEnum: 'error' },
    performance: { noReExportAll: 'error' },
  };
  const config = (changed) => ({ 'biome.json': { linter: { rules: { ...rules, ...changed } } } });

  test('all three are errors', () => expect(linterGuards(repository(config({})))).toEqual([]));
  test('one that is off is missed', () => expect(linterGuards(repository(config({ style: {} })))).toHaveLength(1));

  test('no file switches one off for itself', () => {
    const text = `// ${'biome'}-ignore lint/suspicious/noExplicitAny: because\n`;
    const found = linterGuards(repository({ ...config({}), 'packages/kv/src/x.ts': text }));
    expect(found[0]).toContain('packages/kv/src/x.ts:1');
  });
});

describe('no path of one machine', () => {
  const at = (text, path = 'docs/x.md') => machinePaths(repository({ [path]: text }));
  const inside = (folder) => `see /${folder}/somebody/file`;

  test.each(['work', 'root', 'home', 'Users', 'tmp'])('/%s/… is found', (folder) => {
    expect(at(`first\n${inside(folder)}`)[0]).toContain('docs/x.md:2');
  });

  test.each(['https://example.org/home/page', './work/file', 'packages/root/x', '/homework/x'])(
    '%s is not one',
    (text) => {
      expect(at(text)).toEqual([]);
    },
  );

  test('recorded conversations may speak of any path', () => expect(at(inside('home'), 'x/threads.jsonl')).toEqual([]));
});

describe('no address of a package registry', () => {
  const at = (text) => registryAddresses(repository({ 'pnpm-lock.yaml': text }));

  test.each([
    `https://${'registry'}.npmjs.org/x`,
    `https://${'pypi'}.org/simple`,
    'https://mirror.example/x/-/x-1.0.0.tgz',
    'registry=https://mirror.example/',
    '"resolved": "https://mirror.example/x"',
    'resolution: {tarball: x}',
  ])('%s is found', (text) => expect(at(text).length).toBeGreaterThan(0));

  test.each([
    'resolution: {integrity: sha512-x}',
    'the promise is resolved: https is irrelevant',
    'https://nodejs.org/',
  ])('%s is not one', (text) => expect(at(text)).toEqual([]));
});

describe('public packages', () => {
  const entry = { types: './dist/index.d.ts', default: './dist/index.js' };
  const manifest = {
    license: 'MIT',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20.19' },
    files: ['dist', '!dist/.tsbuildinfo'],
    exports: { '.': { '@agent-state/source': './src/index.ts', ...entry } },
    publishConfig: { exports: { '.': entry } },
    scripts: { build: 'tsc -b tsconfig.build.json', prepack: 'tsc -b tsconfig.build.json' },
  };
  const of = (changed, files = { 'packages/kv/README.md': '# kv' }) =>
    publicPackages(repository({ 'packages/kv/package.json': { ...manifest, ...changed }, ...files }));

  test('one with all it owes passes', () => expect(of({})).toEqual([]));
  test('a private one owes nothing', () => expect(of({ private: true, exports: undefined }, {})).toEqual([]));
  test('a README is owed', () => expect(of({}, {})).toHaveLength(1));
  test('it builds itself before it is packed', () => {
    expect(of({ scripts: { build: 'tsc -b tsconfig.build.json' } })).toHaveLength(1);
    expect(of({ scripts: { build: 'tsc -b tsconfig.build.json', prepack: 'true' } })).toHaveLength(1);
  });
  test('the source condition is not published', () =>
    expect(of({ publishConfig: { exports: manifest.exports } })).toHaveLength(1));
  test('an export that is added is published too', () =>
    expect(of({ exports: { ...manifest.exports, './x': manifest.exports['.'] } })).toHaveLength(1));
  test('conditions stand in their order', () => {
    const exports = { '.': { ...entry, '@agent-state/source': './src/index.ts' } };
    expect(of({ exports })).toHaveLength(1);
  });
});

test('a file that outgrows 300 lines is named', () => {
  const files = { 'packages/kv/src/long.ts': 'x\n'.repeat(301), 'packages/kv/src/short.ts': 'x\n'.repeat(300) };
  expect(longFiles(repository(files))).toEqual([
    'packages/kv/src/long.ts has 301 lines: look for the second thing in it',
  ]);
});

test('the repository is read from git, with what is about to be committed', () => {
  expect(readRepository().packages.map(({ folder }) => folder)).toContain('packages/core');
});

describe('a link leads somewhere', () => {
  const at = (text) => links(repository({ 'docs/a.md': text, 'packages/core/src/x.test.ts': '', 'README.md': '' }));

  test('to a file, a folder, and out of the repository', () => {
    expect(at('[x](../packages/core/src/x.test.ts) [y](../packages/core) [z](https://example.com) [a](#a)')).toEqual(
      [],
    );
    expect(at('[x](../README.md#figures)')).toEqual([]);
  });
  test('not to what is not there', () => expect(at('[x](../packages/core/src/y.test.ts)')).toHaveLength(1));
  test('code is not a link', () => expect(at('```ts\nconst x = [a](b);\n```')).toEqual([]));
});

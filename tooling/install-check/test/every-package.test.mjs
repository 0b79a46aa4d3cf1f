import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { blocksOf } from '../src/blocks.mjs';
import { importsIn } from '../src/declared-imports.mjs';
import { documents, modulesOf, readDocument, writeModules } from '../src/documents.mjs';
import { install } from '../src/installation.mjs';
import { resolutions, typeErrors } from '../src/type-errors.mjs';
import { allowedImports, entriesOf, publicPackages, root } from '../src/workspace.mjs';

const packages = publicPackages();
const entries = packages.flatMap(entriesOf);
/** The only entry that needs an optional peer. */
const vitestEntry = '@agent-state/conformance/vitest';
/** MongoDB's driver needs Node's types for its own. */
const mongoEntry = '@agent-state/doc-mongo';

// Most of the time goes to npm and tsc, and other tests want the same processors.
vi.setConfig({ testTimeout: 100_000 });

/** @type {Awaited<ReturnType<typeof install>>} */
let installation;
beforeAll(async () => {
  installation = await install(packages);
});
afterAll(() => installation?.remove());

test('every public package is here', () => {
  expect(packages.length).toBeGreaterThanOrEqual(9);
  expect(entries).toContain(vitestEntry);
});

test('of every package of ours there is one copy', () => {
  const ours = installation.installed().filter((name) => name.startsWith('@agent-state/'));
  expect(ours.toSorted()).toEqual(packages.map(({ name }) => name).toSorted());
});

describe('before any optional peer is there', () => {
  const named = entries.filter((entry) => entry !== vitestEntry);

  test('[S-PKG-04] no optional peer came along', () => {
    expect(installation.installed()).not.toContain('vitest');
    expect(installation.installed()).not.toContain('ioredis');
  });

  test.each(named)('[S-PKG-01] %s can be imported and required, with the same names', async (entry) => {
    await expectBothForms(entry);
  });

  test('[S-PKG-03] the types of all but the MongoDB driver need neither Node nor an optional peer', async () => {
    const files = programs(
      'bare',
      named.filter((entry) => entry !== mongoEntry),
      ['mts'],
    );
    expect(await typeErrors(installation, 'bare', files, resolutions.nodenext)).toEqual([]);
  });
});

test("the program of the settings' README makes an agent of its file, with the key from the environment", async () => {
  const readme = readDocument('packages/settings/README.md');
  const [, file = ''] = /```toml\n(.*?)```/s.exec(readme) ?? [];
  const [, variable = ''] = /^(AGENT_STATE_\w+)=/m.exec(readme) ?? [];
  const [program] = blocksOf(readme);
  installation.write('settings.toml', file);
  const run = await installation.runProgram('settings.mjs', `${program?.code}console.log(agent.threadId);`, {
    [variable]: 'sk-test',
  });
  expect(run).toEqual({ code: 0, stdout: 'thread-1\n', stderr: '' });
});

describe.each(packages)('$name', (one) => {
  const installed = () => join(installation.folder, 'node_modules', one.name);

  test('[S-PKG-03] its declarations name only packages of its own manifest', () => {
    const foreign = importsIn(installed(), /\.d\.ts$/).filter((name) => !allowedImports(one).includes(name));
    expect(foreign).toEqual([]);
  });

  test('[S-PKG-04] its code names only packages of its own manifest, and Node', () => {
    const foreign = importsIn(installed(), /\.js$/).filter((name) => !name.startsWith('node:'));
    expect(foreign.filter((name) => !allowedImports(one).includes(name))).toEqual([]);
  });
});

describe('with the optional peers', () => {
  beforeAll(() => {
    installation.link('vitest');
    installation.link('@types/node');
    installation.link('ioredis', join(root, 'packages/kv-redis'));
  });

  test(`[S-PKG-01] ${vitestEntry} can be imported and required`, () => expectBothForms(vitestEntry));

  // TypeScript 7 lets a .cts file import an ES module, and `import x = require()` it, under nodenext; under node18 it
  // is an error, for Node.js 18 cannot. Under esnext there is no require to compile to.
  test('[S-PKG-02] every entry type-checks as .mts and .cts under nodenext, libraries included', async () => {
    const files = [...programs('nodenext', entries, ['mts', 'cts']), ...requiring('nodenext', entries)];
    const options = { ...resolutions.nodenext, types: ['node'] };
    expect(await typeErrors(installation, 'nodenext', files, options)).toEqual([]);
  });

  test('[S-PKG-02] every entry type-checks under esnext with a bundler, libraries included', async () => {
    const options = { ...resolutions.bundler, types: ['node'] };
    const files = programs('bundler', entries, ['ts']);
    expect(await typeErrors(installation, 'bundler', files, options)).toEqual([]);
  });

  describe('the ts blocks of the documents type-check', () => {
    const folder = 'documents';
    let errors = [];
    beforeAll(async () => {
      const options = { ...resolutions.nodenext, types: ['node'], skipLibCheck: true, moduleDetection: 'force' };
      const files = writeModules(installation, folder);
      errors = await typeErrors(installation, folder, files, { ...options, allowImportingTsExtensions: true });
    });

    const compiled = documents().filter((path) => modulesOf(path).length > 0);
    const isOf = (error, document) => error.startsWith(`${folder}/${document}/`);

    test.each(compiled)('%s', (document) => {
      expect(errors.filter((error) => isOf(error, document))).toEqual([]);
    });

    test('and nothing else is wrong', () => {
      expect(errors.filter((error) => !compiled.some((document) => isOf(error, document)))).toEqual([]);
    });
  });
});

/** One small program for each entry and kind of file. */
function programs(folder, names, extensions) {
  return names.flatMap((name, index) =>
    extensions.map((extension) => {
      const path = `${folder}/${index}.${extension}`;
      installation.write(path, `import * as entry from '${name}';\nexport const used: object = entry;\n`);
      return path;
    }),
  );
}

function requiring(folder, names) {
  return names.map((name, index) => {
    const path = `${folder}/required-${index}.cts`;
    installation.write(path, `import entry = require('${name}');\nexport const used: object = entry;\n`);
    return path;
  });
}

async function expectBothForms(entry) {
  const source = `
    const name = '${entry}';
    import(name).then((imported) => {
      const required = require(name);
      const names = Object.keys(imported);
      const same = names.every((key) => required[key] === imported[key] && imported[key] !== undefined);
      console.log(names.length > 0 && same ? 'same' : 'different');
    });
  `;
  const path = `${entry.replaceAll('/', '-')}.cjs`;
  expect(await installation.runProgram(path, source)).toEqual({ code: 0, stdout: 'same\n', stderr: '' });
}

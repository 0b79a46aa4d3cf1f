import { expect, it } from 'vitest';
import { main } from '../src/main.ts';
import { memoryTarget } from './memory-target.ts';

/** Runs the command on a module that exports this. */
async function command(exported: object, ...args: string[]): Promise<{ code: number; text: string }> {
  let text = '';
  const write = (part: string) => {
    text += part;
  };
  const code = await main(args, write, async () => exported);
  return { code, text };
}

const unfrozen = {
  name: 'unfrozen',
  async create() {
    const backend = await memoryTarget.create();
    const open = async () => {
      const store = await backend.open();
      return { ...store, load: async (threadId: string) => structuredClone(await store.load(threadId)) };
    };
    return { ...backend, open };
  },
};

it('prints a line for each case and exits with 0 if the target conforms', async () => {
  const { code, text } = await command({ target: memoryTarget }, 'target.js', '--only', 'contract/');
  expect(code).toBe(0);
  expect(text).toMatch(/^passed {3}contract\/nothing +a thread that was never saved is absent/m);
  expect(text).toMatch(/7 passed, 0 failed, 0 skipped, 0 expected to fail\n$/);
});

it('shows what failed, and exits with 1', async () => {
  const { code, text } = await command({ target: unfrozen }, 'target.js', '--only', 'contract/');
  expect(code).toBe(1);
  expect(text).toMatch(/^failed {3}contract\/frozen .*\n {9}AssertionError: state is not frozen/m);
});

it('prints JSON for machines', async () => {
  const { code, text } = await command({ target: unfrozen }, 'target.js', '--json', '--only', 'contract/');
  const report = JSON.parse(text);
  expect(code).toBe(1);
  expect(report).toMatchObject({ target: 'unfrozen', counts: { failed: 1, passed: 6 } });
  expect(report.results.find(({ id }: { id: string }) => id === 'contract/frozen')).toMatchObject({
    status: 'failed',
    error: 'AssertionError: state is not frozen',
  });
});

it('obeys expected failures of the module', async () => {
  const expectedFailures = [{ id: 'contract/frozen', reason: 'known' }];
  const { code, text } = await command({ target: unfrozen, expectedFailures }, 'target.js', '--only', 'contract/');
  expect(code).toBe(0);
  expect(text).toMatch(/6 passed, 0 failed, 0 skipped, 1 expected to fail\n$/);
});

it('says how it is used, and exits with 0, where it is asked to', async () => {
  for (const args of [['--help'], ['-h'], ['target.js', '--help']]) {
    const { code, text } = await command({}, ...args);
    expect(code).toBe(0);
    expect(text).toMatch(/^agent-state-conformance <module>[\s\S]*--json[\s\S]*--only[\s\S]*--help/);
  }
});

it('prints the requirements without the ids that only this repository knows', async () => {
  const { text } = await command({ target: memoryTarget }, 'target.js', '--only', 'deletes/');
  expect(text).toMatch(/^passed +deletes/m);
  expect(text).not.toMatch(/\[[A-Z][A-Z0-9-]*\]/);
  const json = await command({ target: memoryTarget }, 'target.js', '--json', '--only', 'deletes/');
  for (const { requirement } of JSON.parse(json.text).results) expect(requirement).not.toMatch(/\[[A-Z][A-Z0-9-]*\]/);
});

it('exits with 2 and says how it is used where it cannot ask', async () => {
  expect(await command({})).toMatchObject({ code: 2, text: expect.stringContaining('<module>') });
  expect(await command({}, 'target.js', '--unknown')).toMatchObject({ code: 2 });
  const wrong = await command({ target: 5 }, 'target.js');
  expect(wrong).toEqual({ code: 2, text: 'target.js does not export a target: { name, create() }.\n' });
  expect(await command({ target: memoryTarget }, 'target.js', '--only', 'contarct/')).toEqual({
    code: 2,
    text: "No case's id begins with contarct/.\n",
  });
});

/** What the command says of a module that throws this when it is loaded. */
async function refusal(path: string, error: unknown): Promise<{ code: number; text: string }> {
  let text = '';
  const write = (part: string) => {
    text += part;
  };
  const code = await main([path], write, () => Promise.reject(error));
  return { code, text };
}

it('exits with 2 and one line where the module cannot be loaded', async () => {
  expect(await refusal('target.js', new Error('no such file'))).toEqual({
    code: 2,
    text: 'target.js could not be loaded: Error: no such file\n',
  });
});

it('says that a module in TypeScript has to be compiled where this Node.js cannot load it', async () => {
  const thrown = (code: string, message: string) => Object.assign(new TypeError(message), { code });
  const unknown = (extension: string) =>
    refusal('target', thrown('ERR_UNKNOWN_FILE_EXTENSION', `Unknown file extension "${extension}" for target`));
  const unsupported = refusal('target', thrown('ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX', 'enum is not supported'));
  for (const { code, text } of [await unknown('.ts'), await unknown('.mts'), await unsupported]) {
    expect(code).toBe(2);
    expect(text).toMatch(/^target could not be loaded: .+ Compile it to JavaScript first\.\n$/);
  }
  expect((await unknown('.wasm')).text).not.toContain('Compile');
});

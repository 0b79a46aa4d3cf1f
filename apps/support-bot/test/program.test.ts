import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type {} from '@agent-state/services/vitest';
import { expect, inject, it, onTestFinished } from 'vitest';

/** The built programs, as a person runs them. */
const program = (name: string) => fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url));

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'agent-state-bot-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Says these lines to the bot, and gives what it printed and how it ended. */
async function chat(cwd: string, args: readonly string[], lines: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program('main'), ...args], { cwd, env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data.toString();
    });
  }
  child.stdin.end(`${lines.join('\n')}\n`);
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { output, code };
}

it('the demo ends well, and says what was saved, repeated and lost', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program('demo')], { cwd: folder() });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.at(-1)).toBe('resumed: yes, messages lost: 0, finished tools run twice: 0');
  expect(stdout).toContain('SIGKILL');
  expect(stdout).toContain('durable: false');
  expect(stdout).toMatch(/approves book_refund\(.*"amount":480/);
}, 60_000);

it('a chat goes on in another process, from the file', async () => {
  const cwd = folder();
  const first = await chat(cwd, ['--thread', 'alice'], ['Where is order 1043?']);
  expect(first).toMatchObject({ code: 0, output: expect.stringContaining('Order 1043 is six cups: on its way.') });
  const second = await chat(cwd, ['--thread', 'alice'], ['The teapot of order 1042 is broken.']);
  expect(second.output).toContain('bot: Order 1043 is six cups: on its way.');
  expect(second.output).toContain('A replacement is on its way; its number is R-1.');
});

it.each([
  ['yes', 'bot: The money is on its way back; the number is R-1.'],
  ['It was never sent back.', 'bot: The shop does not want that: It was never sent back.'],
])('a refund that needs approval waits for another process, where somebody types "%s"', async (typed, answer) => {
  const cwd = folder();
  const first = await chat(cwd, ['--thread', 'bob'], ['Please refund order 1044.']);
  expect(first).toMatchObject({ code: 0, output: expect.stringContaining('(it waits;') });
  expect(first.output).toContain('book_refund({"order":"1044","amount":480}) needs the shop\'s approval.');
  expect(first.output).not.toContain('bot: ');
  const second = await chat(cwd, ['--thread', 'bob'], [typed, 'Where is order 1043?']);
  expect(second.output).toContain(answer);
  expect(second.output).toContain('bot: Order 1043 is six cups: on its way.');
  expect(second.code).toBe(0);
});

it('a refund is approved in the chat that asked for it; a small one needs nobody', async () => {
  const { output } = await chat(folder(), [], ['Refund order 1042.', 'Refund order 1044.', 'yes']);
  expect(output.match(/needs the shop's approval/g)).toHaveLength(1);
  expect(output).toContain('the number is R-1.');
  expect(output).toContain('the number is R-2.');
});

const redisUrl = inject('redisUrl');
it.runIf(redisUrl)('a chat runs on Redis, as the settings and a variable say', async () => {
  const env = { AGENT_STATE_DATABASE__KVSTORE__DEFAULT_REDIS__PROVIDER__URI: String(redisUrl) };
  const { output, code } = await chat(
    folder(),
    ['--store', 'redis'],
    ['Where is order 9?', 'Where is order 1042?'],
    env,
  );
  expect(output).toContain('on redis');
  expect(output).toContain('Order 1042 is a blue teapot');
  expect(code).toBe(0);
});

const mongoUrl = inject('mongoUrl');
it.runIf(mongoUrl)('a chat runs on MongoDB', async () => {
  const env = { AGENT_STATE_DATABASE__DOCUMENTS__DEFAULT_MONGO__PROVIDER__URL: String(mongoUrl) };
  const { output, code } = await chat(folder(), ['--store', 'mongo'], ['Where is order 1042?'], env);
  expect(output).toContain('Order 1042 is a blue teapot');
  expect(code).toBe(0);
});

it('an unknown store or option, and a missing key, are said in a line', async () => {
  const cwd = folder();
  for (const args of [
    ['--store', 'redsi'],
    ['--stroe', 'redis'],
    ['--model', 'openai'],
  ]) {
    const { output, code } = await chat(cwd, args, [], { OPENAI_API_KEY: '' });
    expect(code).toBe(1);
    expect(output.trim().split('\n').length).toBeLessThan(9);
  }
});

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createThreads, type ThreadState, type Threads } from '@agent-state/core';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { type JournalEntry, openOrderSystem } from './order-system.ts';
import type { Job, Report } from './worker.ts';

const alice = 'customer-alice';
const bob = 'customer-bob';
const folder = mkdtempSync(join(tmpdir(), 'agent-state-demo-'));
const file = join(folder, 'support-bot.sqlite');
const orders = join(folder, 'orders.jsonl');
const env = { ...process.env, AGENT_STATE_DATABASE__DOCUMENTS__DEFAULT_SQLITE__PROVIDER__PATH: file };
const children = new Set<ChildProcess>();

const say = (line = '') => console.log(line);

function start(program: string, argument: string): ChildProcess {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), [argument], { env });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Runs a worker and gives its reports; ends with it. */
async function worker(job: Omit<Job, 'orders'>, onReport: (report: Report, child: ChildProcess) => void) {
  const child = start('worker.js', JSON.stringify({ orders, ...job }));
  child.on('message', (report: Report) => onReport(report, child));
  const [code, signal] = await once(child, 'exit');
  return { pid: child.pid, code, signal };
}

/** What this process does with threads, without an agent. */
async function onThreads<T>(look: (threads: Threads) => Promise<T>): Promise<T> {
  const checkpointer = createSqliteCheckpointer({ path: file, namespace: 'support_bot' });
  try {
    return await look(createThreads(checkpointer));
  } finally {
    await checkpointer.close();
  }
}

async function stored(): Promise<ThreadState> {
  const state = await onThreads((threads) => threads.get(alice));
  if (!state) throw new Error('The thread is not in the store.');
  return state;
}

function show(state: ThreadState): void {
  for (const { role, name, content, metadata } of state.history.slice(1)) {
    const called = metadata?.tool_calls
      ?.map((call) => `calls ${call.function.name}(${call.function.arguments})`)
      .join(', ');
    say(`      ${(name ?? role).padEnd(17)} ${called ?? (content as string)}`);
  }
}

async function killedInTheMiddleOfATool(): Promise<ThreadState> {
  say('1. A customer writes, and the process is killed in the middle of a tool.');
  say();
  say('   Alice: "The teapot of order 1042 is broken, please replace it."');
  const first = await worker(
    { threadId: alice, input: 'The teapot of order 1042 is broken, please replace it.', stopIn: 'book_replacement' },
    (report, child) => {
      if (report.kind !== 'in_tool') return;
      say(`   Process ${child.pid} has booked the replacement with the order system; the tool has not returned yet.`);
      child.kill('SIGKILL');
    },
  );
  say(
    `   Process ${first.pid} is gone (${first.signal}). In the file is what it had saved, the call in flight included:`,
  );
  const before = await stored();
  show(before);
  return before;
}

async function resumedByAnother(): Promise<void> {
  say();
  say('2. Another process resumes the thread.');
  const second = await worker({ threadId: alice }, (report) => {
    if (report.kind === 'answered') say(`   bot: "${report.result.answer}"`);
  });
  say(`   Process ${second.pid} started the tool in flight again, under the same key; the order system keeps keys,`);
  say('   so the replacement is booked once. The order was not looked up again: that result was saved.');
}

async function storeDownMidRun(): Promise<boolean> {
  say();
  say('3. The store goes down in the middle of a run.');
  say();
  say('   Alice: "And where is order 1043?"');
  const outage: { lock?: ChildProcess; unsaved: number; warnings: number } = { unsaved: 0, warnings: 0 };
  await worker({ threadId: alice, input: 'And where is order 1043?', stopIn: 'look_up_order' }, (report, child) => {
    if (report.kind === 'in_tool') {
      outage.lock = start('lock.js', file);
      outage.lock.once('message', () => child.send('go on'));
      say('   While the tool works, another process takes the write lock of the file, and keeps it.');
    } else if (report.kind === 'warning') {
      outage.warnings += 1;
      say(`   warning: ${report.message}`);
    } else {
      outage.unsaved = report.unsaved;
      say(
        `   bot: "${report.result.answer}" (durable: ${report.result.durable}, ${report.unsaved} steps in memory only)`,
      );
      say('   The lock is let go …');
      outage.lock?.send('let go');
    }
  });
  say('   … and the process has stored the thread whole before it ended:');
  show(await stored());
  return outage.unsaved === 2 && outage.warnings === 1;
}

async function approvedByAnother(): Promise<boolean> {
  say();
  say('4. A tool needs a person, who is somewhere else.');
  say();
  say('   Bob: "Please refund order 1044."');
  const first = await worker({ threadId: bob, input: 'Please refund order 1044.' }, () => {});
  const [call] = await onThreads((threads) => threads.pending(bob));
  if (!call) return false;
  say(`   So much needs approval: the run is paused, and process ${first.pid} has ended.`);
  say(`   Process ${process.pid} approves ${call.tool}(${call.arguments}), and another goes on.`);
  await onThreads((threads) => threads.decide(bob, call.key, { verdict: 'approve' }));
  let done = false;
  await worker({ threadId: bob }, (report) => {
    if (report.kind !== 'answered') return;
    say(`   bot: "${report.result.answer}"`);
    done = report.result.status === 'done';
  });
  return done;
}

/** What must be in the file, and in the order system's journal, if the promises hold. */
function verdict(before: ThreadState, after: ThreadState, journal: readonly JournalEntry[]) {
  const kept = before.history.filter(
    (message, index) => JSON.stringify(message) === JSON.stringify(after.history[index]),
  );
  const expected = [
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
    'tool',
    'assistant',
    'user',
    'assistant',
    'tool',
    'assistant',
  ];
  const lost = before.history.length - kept.length + Math.max(0, expected.length - after.history.length);
  const asked = journal.filter((entry) => entry.kind === 'asked');
  const repeated = asked.filter(({ key }, index) => asked.findIndex((entry) => entry.key === key) < index);
  const finishedTwice = repeated.filter(({ what }) => what !== 'book_replacement').length;
  const booked = journal.filter(({ kind, what }) => kind === 'booked' && what === 'book_replacement').length;
  const resumed = after.history.map(({ role }) => role).join() === expected.join() && after.run?.phase === 'done';
  return { lost, repeated, finishedTwice, booked, resumed, messages: after.history.length, step: after.current_step };
}

async function demo(): Promise<boolean> {
  const before = await killedInTheMiddleOfATool();
  await resumedByAnother();
  const rejoined = await storeDownMidRun();
  const refunded = await approvedByAnother();
  const result = verdict(before, await stored(), openOrderSystem(orders).journal());
  say();
  say(
    `Saved of Alice: ${result.messages} messages, ${result.step} steps. Repeated: ${result.repeated.length} call in flight`,
  );
  say(
    `(${result.repeated.map(({ what }) => what).join()}, same key), booked ${result.booked} time. Lost: ${result.lost}.`,
  );
  say();
  const { resumed, lost, finishedTwice } = result;
  say(
    `resumed: ${resumed && rejoined ? 'yes' : 'no'}, messages lost: ${lost}, finished tools run twice: ${finishedTwice}`,
  );
  const once = finishedTwice === 0 && result.booked === 1 && result.repeated.length === 1;
  return resumed && rejoined && refunded && lost === 0 && once;
}

try {
  process.exitCode = (await demo()) ? 0 : 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

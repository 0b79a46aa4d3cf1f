import type { Edit } from './cripple.ts';
import type { Mode } from './modes.ts';
import type { StoreRules } from './store.ts';

/** The protocol with one rule left out: the simulator has to see it. */
export interface Variant {
  readonly name: string;
  /** Where it shows soonest. */
  readonly mode: Mode;
  /** A seed, or the first of a few, in which it shows: for the tests. */
  readonly shows: number;
  readonly edits?: readonly Edit[];
  readonly storeRules?: StoreRules;
}

const edit = (find: string, put: string): Edit => ({ find, put });

export const variants: readonly Variant[] = [
  {
    name: 'saves without a condition',
    mode: 'base',
    shows: 1,
    storeRules: { buries: true, admit: () => true },
  },
  {
    name: 'a bare revision in the place of the etag',
    mode: 'base',
    shows: 26,
    storeRules: {
      buries: true,
      admit: (found, { expected, control }) =>
        found.found ? expected !== null && found.control.revision === control.revision - 1 : expected === null,
    },
  },
  {
    name: 'deletes that leave no tombstone',
    mode: 'base',
    shows: 26,
    storeRules: {
      buries: false,
      admit: (found, { expected }) => (found.found ? found.control.etag === expected : expected === null),
    },
  },
  {
    name: 'no intent is stored before a once tool starts',
    mode: 'base',
    shows: 1,
    edits: [edit('!run.stores || (await run.save())', 'true')],
  },
  {
    name: 'a once call that had started is started again',
    mode: 'base',
    shows: 8,
    edits: [edit("call.status === 'started' || call.attempt > 0", 'false')],
  },
  {
    name: 'a run whose load failed begins anew over a tombstone',
    mode: 'base',
    shows: 153,
    edits: [
      edit("tombstone === null ? 'unchanged' : 'deleted'", "'unchanged'"),
      edit('hold.base = { found: false, tombstone: null };', 'hold.base = found;'),
    ],
  },
  {
    name: 'an outage is brought back without a condition',
    mode: 'base',
    shows: 20,
    edits: [
      edit(
        'port.save(threadId, write, timeLeft(saver, end))',
        'port.save(threadId, saver.outage.size > 0 ? { ...write, base: undefined, appendedFrom: 0 } : write, timeLeft(saver, end))',
      ),
    ],
  },
  {
    name: 'a write of unknown outcome is forgotten, not read back',
    mode: 'base',
    shows: 3,
    edits: [edit('forgetOldest(writes);', 'writes.delete(write.writeId); throw error;')],
  },
  {
    name: 'ownership by the number of the epoch',
    mode: 'base',
    shows: 8,
    edits: [
      edit(
        'claim !== null && mine.claims.has(claim)',
        '(found.epoch ?? (found.head ?? found.state).run?.epoch) === mine.epoch',
      ),
      edit('base: hold.base,', 'base: hold.base, epoch: hold.state.run?.epoch,'),
      edit(
        'hold.writes.get(asked.owner_write);',
        'hold.writes.get(asked.owner_write) ?? { claim: asked.claim, version: hold.version - 1, steps: hold.baseSteps };',
      ),
    ],
  },
  {
    name: 'an input lands between calls and their results',
    mode: 'base',
    shows: 2,
    edits: [edit('!before || run.calls.length === 0', 'true')],
  },
  {
    name: 'an answer wins over a cancel',
    mode: 'base',
    shows: 61,
    edits: [edit("if (asked.phase === 'cancelled')", "if (asked.phase === 'cancelled' && isOpen(run))")],
  },
  {
    name: 'attempts are not counted',
    mode: 'killer',
    shows: 25,
    edits: [edit('attempt: call.attempt + 1', 'attempt: call.attempt')],
  },
  {
    name: 'who is taken over does not look whether anything is missing',
    mode: 'rollback',
    shows: 133,
    edits: [edit('if (found?.found && !lacks(found, hold))', 'if (found?.found)')],
  },
  {
    name: 'who owns nothing forks what he began',
    mode: 'base',
    shows: 27,
    edits: [edit("mine.owns ? 'taken_over' : 'again'", "mine.owns ? 'taken_over' : 'diverged'")],
  },
  {
    name: 'one place for the input that waits for open calls',
    mode: 'base',
    shows: 46,
    edits: [edit('[...run.pending_inputs, message]', '[message]')],
  },
  {
    name: 'what a cancelled run left open is run',
    mode: 'base',
    shows: 4,
    edits: [edit("phase === 'failed' || phase === 'cancelled' ? 'none' : settle", 'settle')],
  },
  {
    name: 'lives are not compared',
    mode: 'base',
    shows: 25,
    edits: [
      edit('!write && !isMine && isAnotherLife(position.life, mine.life)', 'false'),
      edit('tombstone !== null && tombstone !== mine.life.after', 'false'),
      edit('if (isDeleted(found, write))', 'if (false)'),
    ],
    storeRules: {
      buries: true,
      admit: (found, { expected }) => (found.found ? found.control.etag === expected : expected === null),
    },
  },
  {
    name: 'an input is accepted again',
    mode: 'base',
    shows: 1,
    edits: [edit('const known = isKnown(state, inputId);', 'const known = false;')],
  },
  {
    name: 'a pause takes the run from its owner while his tools are at work',
    mode: 'base',
    shows: 4,
    edits: [
      edit(
        "return works && isOpen(run) ? { ...run, phase: 'paused', pause } : undefined;",
        "return works && isOpen(run) ? { ...run, phase: 'paused', owner: null, pause } : undefined;",
      ),
    ],
  },
  {
    name: 'who waits looks for one heartbeat only',
    mode: 'base',
    shows: 316,
    edits: [edit('const heartbeatsMissed = 3;', 'const heartbeatsMissed = 1;')],
  },
];

import { nextStep } from '../record/next-step.ts';
import { released } from '../record/transitions.ts';
import { act, askPerson, settle } from './act.ts';
import { advance, isInterrupted, type RunContext } from './run-context.ts';
import { think } from './think.ts';

/** Think, act, think … until the run has ended or pauses. Whether the store acknowledged its last step. */
export async function drive(run: RunContext): Promise<boolean> {
  for (;;) {
    const next = nextStep(run.hold.state);
    // First: what comes while the answer is saved comes too late.
    if (next.kind === 'end') return letGo(run);
    run.signal.throwIfAborted();
    const { version } = run.hold;
    if (next.kind === 'think') await think(run);
    else if (next.kind === 'act') await act(run, next.calls);
    else if (next.kind === 'ask') await askPerson(run);
    else await settle(run, next.calls);
    // It would be taken again and again, with nobody else ever getting a turn.
    if (run.hold.version === version && !isInterrupted(run)) throw new TypeError(`The step ${next.kind} did nothing.`);
  }
}

/** Who asked for a pause left the run its owner until now, for its tools were at work. */
function letGo(run: RunContext): Promise<boolean> {
  if (run.hold.state.run?.owner != null) advance(run, released);
  return run.save();
}

import type { CheckpointWrite } from '../protocol/checkpointer.ts';
import { toState } from '../state/encode.ts';

/**
 * A write as of the call: what the caller changes afterwards changes nothing, however late the write is done. One that
 * is refused is left as it is, for the checkpointer inside says what is wrong with it.
 */
export function takenNow(write: CheckpointWrite): CheckpointWrite {
  try {
    const { updated_at, ...state } = toState(write.state, 0);
    return { ...write, state: write.state.updated_at === undefined ? state : { ...state, updated_at } };
  } catch {
    return write;
  }
}

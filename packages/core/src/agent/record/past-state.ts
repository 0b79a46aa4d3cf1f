import type { ThreadState } from '../../state/schema.ts';

/** What is known of a thread as it was after a step. */
export type PastState = Pick<ThreadState, 'current_step' | 'variables' | 'history'>;

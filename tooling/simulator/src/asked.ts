/** One use of `threads`, and what came of it in the store. */
export interface Asked {
  readonly kind: 'decide' | 'propose' | 'pause' | 'cancel' | 'rewrite' | 'fork' | 'delete';
  readonly threadId: string;
  /** What of it was stored. */
  readonly landed: Landed[];
}

interface Landed {
  readonly at: number;
  readonly runId: string;
  readonly born: string;
  readonly claim: string;
}

/** A failure that users of comparable libraries have met. A test shows that ours does not have it. */
export interface Case {
  readonly id: string;
  /** What went wrong. */
  readonly title: string;
  /** Why it cannot happen here, where nothing is there that a test could provoke it on. */
  readonly reason?: string;
}

export const failure = (id: string, title: string, reason?: string): Case =>
  reason === undefined ? { id, title } : { id, title, reason };

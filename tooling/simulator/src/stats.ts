/** What worlds went through. */
export interface Stats {
  crashes: number;
  freezes: number;
  /** Writes of which the writer does not learn whether they were done. */
  unknown: number;
  takenOver: number;
  forks: number;
  decisions: number;
  cancels: number;
  pauses: number;
  deletes: number;
  rewrites: number;
  /** Starts of tools. */
  tools: number;
  saves: number;
  events: number;
}

export function noStats(): Stats {
  return {
    crashes: 0,
    freezes: 0,
    unknown: 0,
    takenOver: 0,
    forks: 0,
    decisions: 0,
    cancels: 0,
    pauses: 0,
    deletes: 0,
    rewrites: 0,
    tools: 0,
    saves: 0,
    events: 0,
  };
}

export function addStats(sum: Stats, more: Stats): void {
  for (const key of Object.keys(sum) as (keyof Stats)[]) sum[key] += more[key];
}

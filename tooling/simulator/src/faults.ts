import { AgentStateError } from '@agent-state/core';
import type { Random } from './random.ts';

/** What becomes of a call of the store. */
export type Fate =
  | 'fine'
  /** The store cannot be reached, and the client knows. */
  | 'refused'
  /** Done, and the client is told that it failed. */
  | 'applied'
  /** Never done; the client is told that it does not know. */
  | 'lost'
  /** No answer; done, or not, or long after. */
  | 'hangs'
  | 'hangs_applied'
  | 'late';

/** How badly the store of a world behaves. */
export interface Weather {
  /** The share of saves and deletes that something goes wrong with. */
  failing: number;
  downUntil: number;
  healed: boolean;
}

export const isUnknown = (fate: Fate): boolean => fate !== 'fine' && fate !== 'refused';

const fates: readonly Fate[] = [
  'refused',
  'refused',
  'refused',
  'applied',
  'applied',
  'lost',
  'hangs',
  'hangs_applied',
  'late',
  'late',
];

export function fateOf(random: Random, weather: Weather, cutOff: boolean, writes: boolean): Fate {
  if (weather.healed) return 'fine';
  if (cutOff) return random.chance(0.6) ? 'refused' : 'hangs';
  if (!random.chance(writes ? weather.failing : weather.failing / 4)) return 'fine';
  if (!writes) return random.chance(0.7) ? 'refused' : 'hangs';
  return random.pick(fates);
}

export function outage(applied: 'no' | 'maybe'): AgentStateError {
  return new AgentStateError('unavailable', 'As the world wants it.', { applied });
}

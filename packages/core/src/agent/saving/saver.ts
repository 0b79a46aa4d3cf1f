import type { Logger } from '../../protocol/logger.ts';
import type { Runtime } from '../../protocol/runtime.ts';
import type { AgentEvent } from '../events.ts';
import type { Hold } from './hold.ts';
import type { StorePolicy } from './policy.ts';
import type { StorePort } from './store-port.ts';

/** What saving needs besides the hold. */
export interface Saver {
  readonly port: StorePort;
  readonly policy: StorePolicy;
  /** Names this process in what is stored. */
  readonly owner: string;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Whether the store marks what was deleted. */
  readonly tombstones: boolean;
  readonly emit: (event: AgentEvent) => void;
  /** The holds that are volatile now. */
  readonly outage: Set<Hold>;
  /** Holds that are not to be lost any more: the steps of an outage, under a thread id of their own. */
  readonly adopt: (hold: Hold) => void;
  /** Starts the probe of a hold that has become volatile. */
  readonly probe: (hold: Hold) => void;
}

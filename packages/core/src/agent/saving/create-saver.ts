import type { Checkpointer } from '../../protocol/checkpointer.ts';
import type { AgentStateError } from '../../protocol/errors.ts';
import type { Logger } from '../../protocol/logger.ts';
import type { Runtime } from '../../protocol/runtime.ts';
import type { AgentEvent } from '../events.ts';
import type { AgentFactoryOptions } from '../options.ts';
import type { Hold } from './hold.ts';
import type { Hub } from './hub.ts';
import { storePolicy } from './policy.ts';
import type { Saver } from './saver.ts';
import { createStorePort } from './store-port.ts';
import { createProbes } from './volatile.ts';

interface Surroundings {
  readonly hub: Hub;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly emit: (event: AgentEvent) => void;
}

/** What the agents of a factory need to save their threads. */
export function createSaver(checkpointer: Checkpointer, options: AgentFactoryOptions, around: Surroundings): Saver {
  const { hub, runtime, logger, emit } = around;
  const policy = storePolicy({ ...options, callMs: options.storeCallMs, budgetMs: options.storeBudgetMs });
  if (!checkpointer.capabilities.conditional) {
    logger.warn(
      { checkpointer: checkpointer.name },
      'This store cannot compare and save in one step: two processes on one thread are not kept apart.',
    );
  }
  const settled = (hold: Hold) => {
    if (hold.stopped && isLost(hold.stopped)) hub.keepLost(hold);
    if (!hold.running && hub.holds.get(hold.threadId) === hold) hub.holds.delete(hold.threadId);
  };
  const probe = createProbes(settled);
  const saver: Saver = {
    port: createStorePort(checkpointer, runtime, policy.callMs),
    policy,
    owner: hub.owner,
    runtime,
    logger,
    tombstones: checkpointer.capabilities.tombstones,
    emit(event) {
      emit(event);
      hub.holds.get(event.threadId)?.listen?.(event);
    },
    outage: new Set(),
    adopt(hold) {
      if (hub.isClosed()) return hub.keepLost(hold);
      hub.holds.set(hold.threadId, hold);
      hold.volatile = true;
      saver.outage.add(hold);
      saver.probe(hold);
    },
    probe: (hold) => void probe(saver, hold),
  };
  return saver;
}

/** What was deleted is not to come back, what was closed has been handed out, and a fork has all of it. */
function isLost({ code, forkId }: AgentStateError): boolean {
  return code !== 'deleted' && code !== 'closed' && forkId === undefined;
}

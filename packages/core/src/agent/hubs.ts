import type { Runtime } from '../protocol/runtime.ts';
import { agentsClosed } from './failures.ts';
import { createHub, type Hub, type UnsavedThread } from './saving/hub.ts';

/** The hubs of a factory, closed as one. */
export interface Hubs {
  /** Of all agents with a store. */
  readonly shared: Hub;
  /** One for an agent without a store: what it remembers goes with the agent. */
  own(): Hub;
  /** As {@link Hub.close}, of all of them. What an agent without a store remembers is not handed out. */
  close(ms: number): Promise<UnsavedThread[]>;
}

export function createHubs(runtime: Runtime): Hubs {
  const shared = createHub(runtime);
  // None but those at work: an agent that nobody has any more is not kept by its factory.
  const atWork = new Set<Hub>();
  let isOpen = true;
  return {
    shared,
    own() {
      const hub = createHub(runtime, false);
      let jobs = 0;
      return {
        ...hub,
        async enqueue(threadId, job) {
          if (!isOpen) throw agentsClosed(threadId);
          if (jobs === 0) atWork.add(hub);
          jobs += 1;
          try {
            return await hub.enqueue(threadId, job);
          } finally {
            jobs -= 1;
            if (jobs === 0) atWork.delete(hub);
          }
        },
      };
    },
    async close(ms) {
      isOpen = false;
      const [unsaved = []] = await Promise.all([shared, ...atWork].map((hub) => hub.close(ms)));
      return unsaved;
    },
  };
}

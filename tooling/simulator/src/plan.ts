import type { World } from './world.ts';

/** The threads of a world and how long trouble lasts in it. */
export interface Plan {
  readonly threadIds: readonly string[];
  readonly troubleMs: number;
  /** Inputs that were sent, by thread. */
  readonly inputs: Map<string, string[]>;
}

export function createPlan({ random }: World): Plan {
  const threadIds = Array.from({ length: random.between(1, 2) }, (_, index) => `T${index + 1}`);
  return {
    threadIds,
    troubleMs: random.pick([8, 20, 40, 80, 110]) * 1_000,
    inputs: new Map(threadIds.map((threadId) => [threadId, []])),
  };
}

export function newInput(plan: Plan, threadId: string): string {
  const inputs = plan.inputs.get(threadId) ?? [];
  const inputId = `${threadId}-${inputs.length + 1}`;
  inputs.push(inputId);
  return inputId;
}

import type { Model } from '../model/model.ts';
import type { Runtime } from '../protocol/runtime.ts';
import type { AgentEvent, StreamEvent } from './events.ts';
import type { RunLimits } from './run/run-context.ts';
import type { Hub } from './saving/hub.ts';
import type { Saver } from './saving/saver.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { Tool } from './tool.ts';
import type { HistoryView } from './view.ts';

/** Everything that is fixed for an agent on a thread. */
export interface AgentContext {
  readonly threadId: string;
  readonly profile: string;
  readonly systemPrompt: string | undefined;
  /** Which prompt the model is shown where the profile's and the stored one differ. */
  readonly shownPrompt: 'current' | 'stored';
  readonly model: Model;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly variables: StandardSchema<object> | undefined;
  readonly view: HistoryView | undefined;
  readonly limits: RunLimits;
  readonly hub: Hub;
  /** Undefined: nothing is stored, the thread lives as long as the agent. */
  readonly saver: Saver | undefined;
  readonly onBusy: 'wait' | 'takeOver' | 'throw';
  readonly runtime: Runtime;
  readonly emit: (event: AgentEvent) => void;
}

/** Who streams a run. */
export type Listen = ((event: StreamEvent<never>) => void) | undefined;

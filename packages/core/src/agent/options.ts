import type { Model } from '../model/model.ts';
import type { Checkpointer } from '../protocol/checkpointer.ts';
import type { Logger } from '../protocol/logger.ts';
import type { KnownOptions } from '../protocol/options.ts';
import type { TimeToLive } from '../protocol/position.ts';
import type { Runtime } from '../protocol/runtime.ts';
import type { ResumeOptions, RunOptions } from './api.ts';
import type { AgentEvent } from './events.ts';
import type { AgentProfile } from './profile.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { AnyTool } from './tool.ts';
import type { HistoryView } from './view.ts';

export interface AgentFactoryOptions {
  /** False: `create` refuses, as a settings file may ask; default true. */
  readonly enabled?: boolean | undefined;
  /** Profiles by name. */
  readonly profiles: Readonly<Record<string, AgentProfile>>;
  readonly defaultProfile?: string | undefined;
  /** Models by connection name. */
  readonly models: Readonly<Record<string, Model>>;
  readonly defaultModel?: string | undefined;
  /** The registry that profiles name their tools from. */
  readonly tools?: readonly AnyTool[] | undefined;
  /** Left out: nothing is stored. It is not closed by the factory. */
  readonly checkpointer?: Checkpointer | undefined;
  /** How long a thread lives after its last save; left out: what it has, a new one for ever. */
  readonly ttl?: TimeToLive | undefined;
  /** What to do when the store is down past the budget; default `volatile`: go on in memory. */
  readonly onStoreDown?: 'volatile' | 'wait' | 'throw' | undefined;
  /** What to do with a thread that is gone from the store without a delete; default `restore`: write it again. */
  readonly onVanished?: 'restore' | 'stop' | undefined;
  /** What `run` does by default on a thread that another process works on; default `wait`. */
  readonly onBusy?: 'wait' | 'takeOver' | 'throw' | undefined;
  /**
   * How often a run shows within a long step that it lives, in milliseconds; default 5,000. After three of them without
   * a sign `run` takes a thread over, so it has to be the same in all processes.
   */
  readonly heartbeatMs?: number | undefined;
  /** How long `onBusy: 'wait'` waits for a run that lives, in milliseconds; default 30,000. */
  readonly busyWaitMs?: number | undefined;
  /**
   * Lets profiles have `once` tools on a store that cannot compare and save in one step: two processes could both start
   * one. Default false.
   */
  readonly allowOnceWithoutConditional?: boolean | undefined;
  /** How long one call of the store may take, in milliseconds; default 2,000. */
  readonly storeCallMs?: number | undefined;
  /** How long a save or load is tried before the store counts as down, in milliseconds; default 5,000. */
  readonly storeBudgetMs?: number | undefined;
  /** How many tools of one turn run at the same time; default 8. */
  readonly toolConcurrency?: number | undefined;
  /** How often a process may die, or be taken over, in the same Think or call before it is given up; default 3. */
  readonly maxAttempts?: number | undefined;
  /** Checks the thread's variables whenever a tool changes them. */
  readonly variables?: StandardSchema<object> | undefined;
  /** Which system prompt the model is shown where the profile's differs from the stored one; default `current`. */
  readonly systemPrompt?: 'current' | 'stored' | undefined;
  /** What of the history the model is shown, see {@link lastMessages}; nothing stored is changed. Default: all of it. */
  readonly view?: HistoryView | undefined;
  /** pino, console, or anything alike; default: the console, for warnings and errors. */
  readonly logger?: Logger | undefined;
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
  /** Clock, timers, chance and ids; default: the system's. */
  readonly runtime?: Runtime | undefined;
}

export interface CreateOptions {
  /** Default: the factory's default profile. */
  readonly profile?: string | undefined;
  /** Without it nothing is stored. */
  readonly threadId?: string | undefined;
}

export const factoryOptions: KnownOptions<AgentFactoryOptions> = {
  enabled: true,
  profiles: true,
  defaultProfile: true,
  models: true,
  defaultModel: true,
  tools: true,
  checkpointer: true,
  ttl: true,
  onStoreDown: true,
  onVanished: true,
  onBusy: true,
  heartbeatMs: true,
  busyWaitMs: true,
  allowOnceWithoutConditional: true,
  storeCallMs: true,
  storeBudgetMs: true,
  toolConcurrency: true,
  maxAttempts: true,
  variables: true,
  systemPrompt: true,
  view: true,
  logger: true,
  onEvent: true,
  runtime: true,
};

export const createOptions: KnownOptions<CreateOptions> = { profile: true, threadId: true };

export const runOptions: KnownOptions<RunOptions> = {
  history: true,
  inputId: true,
  retry: true,
  signal: true,
  onBusy: true,
  onPaused: true,
};

export const resumeOptions: KnownOptions<ResumeOptions> = { signal: true, onBusy: true };

import type { KnownOptions } from '../protocol/options.ts';
import type { RunOptions } from './api.ts';
import type { AgentFactoryOptions, CreateOptions } from './factory.ts';
import type { ThreadsOptions } from './threads.ts';

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

export const resumeOptions: KnownOptions<Pick<RunOptions, 'signal'>> = { signal: true };

export const threadsOptions: KnownOptions<ThreadsOptions> = { storeCallMs: true, storeBudgetMs: true, runtime: true };

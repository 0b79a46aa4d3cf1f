export { type CheckpointerOptions, createCheckpointerFromSettings } from './checkpointer.ts';
export type { Variables } from './environment.ts';
export { agentFactoryOptions, type FactoryOptions } from './factory-options.ts';
export { type LoadOptions, loadSettings } from './load.ts';
export { printSettings } from './print.ts';
export type { ResolveSecret, SecretReference } from './references.ts';
export type {
  AgentsSettings,
  DatabaseSettings,
  KeyResolverSettings,
  LlmConnection,
  LlmsSettings,
  PersistenceSettings,
  Settings,
  StoreConnection,
  Strategy,
  WrapperSettings,
} from './settings.ts';

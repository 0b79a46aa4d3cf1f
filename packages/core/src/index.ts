export type {
  AgentInput,
  AgentService,
  DoneResult,
  PausedResult,
  ResumeOptions,
  RunOptions,
  RunResult,
  ThreadStatus,
} from './agent/api.ts';
export { type CloseOnSignalOptions, type ClosingSignal, closeOnSignal } from './agent/close-on-signal.ts';
export type { CloseOptions } from './agent/close-options.ts';
export type { AgentEvent, StreamEvent } from './agent/events.ts';
export { type AgentFactory, createAgentFactory } from './agent/factory.ts';
export type { AgentFactoryOptions, CreateOptions } from './agent/options.ts';
export type { AgentProfile } from './agent/profile.ts';
export type { PastState } from './agent/record/past-state.ts';
export type { PauseOptions } from './agent/record/pause-request.ts';
export type { PendingCall } from './agent/record/pending-calls.ts';
export type { UnsavedThread } from './agent/saving/hub.ts';
export type { StandardIssue, StandardResult, StandardSchema } from './agent/standard-schema.ts';
export {
  type AnyTool,
  type ApprovalQuestion,
  defineTool,
  type Reconciled,
  type Tool,
  type ToolContext,
  type VariablesView,
} from './agent/tool.ts';
export { type HistoryView, lastMessages } from './agent/view.ts';
export type { ModelBackend, ModelConnection } from './model/backend.ts';
export type { Model, ModelAnswer, ModelRequest, ToolDescription } from './model/model.ts';
export { createScriptedModel, type ScriptedTurn } from './model/scripted.ts';
export type { AdapterConnection, CheckpointerAdapter } from './protocol/adapter.ts';
export { admits } from './protocol/admit.ts';
export { type Capabilities, defaultMaxMessageBytes } from './protocol/capabilities.ts';
export type {
  Absence,
  Checkpoint,
  Checkpointer,
  CheckpointWrite,
  Glimpse,
  ListOptions,
  StepsOptions,
  ThreadPage,
  ThreadQuery,
  ThreadSummary,
} from './protocol/checkpointer.ts';
export { withDeadline } from './protocol/deadline.ts';
export { defineCheckpointer } from './protocol/define.ts';
export { AgentStateError, type ErrorCode, type ErrorDetails, isAgentStateError } from './protocol/errors.ts';
export { assertNamespace, assertThreadId, keyPart, maxThreadIdBytes } from './protocol/ids.ts';
export type { Logger } from './protocol/logger.ts';
export { assertKnown, type KnownOptions } from './protocol/options.ts';
export type { ConflictState, Life, Position, TimeToLive } from './protocol/position.ts';
export { compareSummaries, matches, summaryOf, textsOf, toolNames, wakeAtOf } from './protocol/query.ts';
export { type Runtime, sleep, systemRuntime } from './protocol/runtime.ts';
export {
  type Burial,
  type CheckpointStore,
  type Control,
  type Encoded,
  layoutVersion,
  type Placed,
  type SaveOutcome,
  type Stored,
  type StoredAbsence,
  type StoredHead,
  type StoredThread,
  type StoreQuery,
  type StoreWrite,
} from './protocol/store.ts';
export { decodeThread } from './state/decode.ts';
export type { JsonObject, JsonValue } from './state/json.ts';
export {
  type CallDecision,
  type CallEffect,
  type CallStatus,
  type Message,
  type MessageMetadata,
  type MessageRole,
  type OpenCall,
  type Pause,
  type PauseRequest,
  type PreviousRun,
  type RunPhase,
  type RunRecord,
  type StepRecord,
  schemaVersion,
  type ThreadHead,
  type ThreadState,
  type ThreadStateInput,
  type TokenUsage,
  type ToolCall,
} from './state/schema.ts';
export type { DecisionReceipt } from './threads/decisions.ts';
export type { HistoryChange } from './threads/rewrite.ts';
export { createThreads, type Threads, type ThreadsOptions } from './threads/threads.ts';

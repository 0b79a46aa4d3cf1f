import type { JsonObject } from '../state/json.ts';
import type { Message, TokenUsage, ToolCall } from '../state/schema.ts';

/** What the model is told about a tool. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments object. */
  readonly parameters: JsonObject;
}

export interface ModelRequest {
  /** The history as the model is to see it: every tool message follows the assistant message with its call. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  /** Aborted when the run is: the call should end soon. */
  readonly signal: AbortSignal;
  /** Called with each piece of text as it comes; left out by callers who do not stream. */
  readonly onText?: (text: string) => void;
}

export interface ModelAnswer {
  readonly content: Message['content'];
  /** Empty for a final answer. A call without an id gets one. */
  readonly toolCalls?: readonly ToolCall[];
  readonly usage?: TokenUsage;
}

/** The model port: everything the agent needs of a language model. */
export interface Model {
  readonly name: string;
  /**
   * One answer, whole. Throws an error with `code: 'model'` (its `retryable` says whether the agent may ask again), or
   * the signal's reason when aborted. What it throws never shows a key or the content of a message.
   */
  generate(request: ModelRequest): Promise<ModelAnswer>;
}

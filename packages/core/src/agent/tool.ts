import type { ToolDescription } from '../model/model.ts';
import { AgentStateError } from '../protocol/errors.ts';
import { type JsonObject, toJson } from '../state/json.ts';
import type { CallEffect } from '../state/schema.ts';
import type { PauseOptions } from './record/pause-request.ts';
import { isStandardSchema, type StandardSchema } from './standard-schema.ts';

/** The thread's variables as a tool sees them. */
export interface VariablesView<Variables extends object = Record<string, unknown>> {
  /** The value as it is after this call's own changes; undefined where there is none. */
  get<Key extends keyof Variables & string>(key: Key): Variables[Key] | undefined;
  /**
   * Belongs to this call's result: saved with it, dropped if the call fails, applied in call order once all calls of
   * the turn are settled. Throws `not_serializable` for what JSON cannot carry.
   */
  set<Key extends keyof Variables & string>(key: Key, value: Variables[Key]): void;
}

export interface ToolContext<Variables extends object = Record<string, unknown>> {
  readonly threadId: string;
  readonly callId: string;
  /** The same for every attempt of this call, and for no other: hand it to whatever the tool calls. */
  readonly idempotencyKey: string;
  /** How often a process that may have started this call has died or was taken over; 0 the first time. */
  readonly attempt: number;
  /** Aborted when the call times out or its run is cancelled or taken over. */
  readonly signal: AbortSignal;
  readonly variables: VariablesView<Variables>;
  /**
   * Pauses the run once all calls of this turn are settled, until `wakeAt` (then `threads.due` lists it) or until
   * somebody resumes it. Belongs to this call's result, as the variables do.
   */
  readonly pause: (request?: PauseOptions) => void;
}

/** A method's type, so that a tool of certain arguments is a tool. */
export type ApprovalQuestion<Arguments> = { ask(args: Arguments): boolean | PromiseLike<boolean> }['ask'];

/** What a tool that may not run twice knows of a call whose process died. */
export type Reconciled =
  | { readonly outcome: 'done'; readonly result: unknown }
  | { readonly outcome: 'not_done' }
  | { readonly outcome: 'unknown' };

export interface Tool<Arguments = unknown, Variables extends object = Record<string, unknown>> {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments object, told to the model; or a Standard Schema, which checks them as well. */
  readonly parameters: JsonObject | StandardSchema<Arguments>;
  /**
   * What the model is told where `parameters` is a Standard Schema: JSON Schema. Default: what the schema library makes
   * of it (Standard JSON Schema); where it makes nothing, any object, with a warning.
   */
  readonly jsonSchema?: JsonObject;
  /**
   * What running it twice means. `read`: nothing. `idempotent`, the default: nothing under the same key; after a crash
   * it may run again. `once`: harm; it is never started twice, and where its process died its outcome is unknown.
   */
  readonly effect?: CallEffect;
  /**
   * Whether a person has to approve the call, with its arguments, before it runs: the run pauses until then. Default no.
   */
  readonly needsApproval?: boolean | ApprovalQuestion<Arguments>;
  /**
   * For a `once` tool whose process died while a call ran: what became of it. `not_done` is told to the model, the call
   * is never started again. Left out, or `unknown`: see `onUnknown`.
   */
  reconcile?(
    args: Arguments,
    context: Pick<ToolContext, 'threadId' | 'idempotencyKey' | 'signal'>,
  ): Reconciled | undefined | PromiseLike<Reconciled | undefined>;
  /** Who is told that the outcome of a `once` call is unknown: the model (`tell`, the default), or a person (`pause`). */
  readonly onUnknown?: 'tell' | 'pause';
  /** How long one attempt may take, in milliseconds; default: as long as the run. */
  readonly timeoutMs?: number;
  /**
   * Returns what JSON can carry (a string is shown to the model as it is; nothing is null). What it throws is the
   * call's failed result, shown to the model; it is not a reason to run it again.
   */
  execute(args: Arguments, context: ToolContext<Variables>): unknown;
}

/** A tool of any arguments and variables, as the registry takes it. */
export type AnyTool = Omit<Tool, 'execute' | 'needsApproval' | 'reconcile'> & {
  execute(args: never, context: never): unknown;
  needsApproval?: boolean | ApprovalQuestion<never>;
  reconcile?(args: never, context: never): Reconciled | undefined | PromiseLike<Reconciled | undefined>;
};

/** The tool as given, with its argument type taken from its schema. */
export function defineTool<Arguments, Variables extends object = Record<string, unknown>>(
  tool: Tool<Arguments, Variables>,
): Tool<Arguments, Variables> {
  return Object.freeze({ ...tool });
}

const toolNamePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Tools by name, or a `configuration` error that says which one is wrong. */
export function toolRegistry(tools: readonly AnyTool[]): ReadonlyMap<string, Tool> {
  if (!Array.isArray(tools)) throw new AgentStateError('configuration', 'tools has to be an array.', { path: 'tools' });
  const registry = new Map<string, Tool>();
  // Its schema checks the arguments before it gets them, the factory's the variables.
  for (const tool of tools as readonly Tool[]) {
    const fault = faultOf(tool, registry);
    if (fault)
      throw new AgentStateError('configuration', `The tool ${JSON.stringify(tool?.name)} ${fault}.`, { path: 'tools' });
    registry.set(tool.name, tool);
  }
  return registry;
}

const toolProperties: Readonly<Record<keyof Tool, true>> = {
  name: true,
  description: true,
  parameters: true,
  jsonSchema: true,
  effect: true,
  needsApproval: true,
  reconcile: true,
  onUnknown: true,
  timeoutMs: true,
  execute: true,
};

function faultOf(tool: Tool, registry: ReadonlyMap<string, Tool>): string | undefined {
  if (typeof tool?.name !== 'string' || !toolNamePattern.test(tool.name)) {
    return 'needs a name of 1 to 64 letters, digits, _ or -';
  }
  if (registry.has(tool.name)) return 'is there twice';
  // A misspelt `needsApproval` would let the tool run without one.
  const unknown = Object.keys(tool).find((property) => !Object.hasOwn(toolProperties, property));
  if (unknown !== undefined) {
    return `has a property ${unknown} that no tool has; known are ${Object.keys(toolProperties).join(', ')}`;
  }
  if (typeof tool.execute !== 'function') return 'has no execute function';
  if (!isDescribable(tool)) return 'has no parameters schema that is JSON, nor one with a jsonSchema beside it';
  if (tool.timeoutMs !== undefined && !(typeof tool.timeoutMs === 'number' && tool.timeoutMs > 0)) {
    return 'has a timeoutMs that is no number above 0';
  }
  if (!['read', 'idempotent', 'once', undefined].includes(tool.effect)) return 'has an unknown effect';
  if (!['boolean', 'function', 'undefined'].includes(typeof tool.needsApproval)) {
    return 'has a needsApproval that is neither a boolean nor a function';
  }
  if (!['tell', 'pause', undefined].includes(tool.onUnknown)) return 'has an unknown onUnknown';
  if (!['function', 'undefined'].includes(typeof tool.reconcile)) return 'has a reconcile that is no function';
  if (tool.effect !== 'once' && ('reconcile' in tool || 'onUnknown' in tool)) {
    return "has reconcile or onUnknown, which are for effect 'once'";
  }
  return undefined;
}

function isDescribable(tool: Tool): boolean {
  try {
    const { parameters } = describeTool(tool);
    return typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters);
  } catch {
    return false;
  }
}

export function describeTool(tool: Tool): ToolDescription {
  const { name, description, parameters } = tool;
  const schema = isStandardSchema(parameters) ? (jsonSchemaOf(tool) ?? { type: 'object' }) : parameters;
  return { name, description, parameters: toJson(schema, `tools.${name}.parameters`) as JsonObject };
}

/** Whether the model is told no more of the arguments than that they are an object. */
export function isUndescribed(tool: Tool): boolean {
  return isStandardSchema(tool.parameters) && jsonSchemaOf(tool) === undefined;
}

/** The tool's own, or what its schema library makes of it. */
function jsonSchemaOf({ jsonSchema, parameters }: Tool): unknown {
  if (jsonSchema !== undefined || !isStandardSchema(parameters)) return jsonSchema;
  return parameters['~standard'].jsonSchema?.input({ target: 'draft-07' });
}

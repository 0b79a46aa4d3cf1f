/** An agent as a settings file describes it. */
export interface AgentProfile {
  readonly name: string;
  readonly description?: string;
  readonly systemPrompt?: string;
  /** The model connection; default: the factory's default one. */
  readonly connectionName?: string;
  /** Think steps a run may take; default 10. */
  readonly maxIterations?: number;
  /** Working time a run may take, in seconds, pauses not counted; default 60. */
  readonly maxExecutionTimeSeconds?: number;
  /** Names in the tool registry; default none. */
  readonly tools?: readonly string[];
}

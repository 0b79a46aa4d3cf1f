/** A call as the model made it. */
export interface RecordedCall {
  readonly id: string;
  readonly name: string;
  /** The text that the model sent. */
  readonly arguments: string;
}

/** What of a message is compared, recorded and stored ones alike. */
export interface PlainMessage {
  readonly role: string;
  readonly content: unknown;
  readonly name?: string;
  /** Empty where the message calls no tool. */
  readonly calls: readonly RecordedCall[];
  readonly callId?: string;
}

export interface Recording {
  /** The thread's id. */
  readonly id: string;
  /** The line that it was read from. */
  readonly line: string;
  readonly messages: readonly PlainMessage[];
  /** How many messages stand before the first of the customer: the thread begins with them. */
  readonly opening: number;
  /** For each message that calls tools, by its index: where each call's result stands, as far as there is one. */
  readonly results: ReadonlyMap<number, readonly (number | undefined)[]>;
}

/** What the checkpointer needs of a Redis client, whichever library it is from. */
export interface RedisDriver {
  /** Whether it follows redirections between the nodes of a cluster. */
  readonly cluster: boolean;

  /**
   * Resolves once a command can be sent at once, and connects where nobody has yet. Rejects with what the client says
   * as soon as one attempt fails. Nothing is sent to a client that is not ready: it would queue it, and run it later.
   */
  ready(): Promise<void>;

  /** Whether it was open and has been closed for good. */
  ended(): boolean;

  /** One command to the node that has `key`; to any node without one. */
  send(key: string | undefined, command: string[]): Promise<unknown>;

  /** Takes back what was attached to the client. */
  release(): void;

  /** Ends the connection, whatever it is doing. Does not throw. */
  destroy(): void;
}

/** The part of an event emitter that is used. */
export interface Emitter {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

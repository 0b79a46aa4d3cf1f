/** What pino, console and most loggers are already. Neither state content nor a secret is ever passed to it. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Warnings and errors on the console, in one line each. */
export const consoleLogger: Logger = Object.freeze({
  info() {},
  warn: (fields: object, message: string) => console.warn(`[agent-state] ${message}`, fields),
  error: (fields: object, message: string) => console.error(`[agent-state] ${message}`, fields),
});

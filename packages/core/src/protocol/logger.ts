/** What pino, console and most loggers are already. Neither state content nor a secret is ever passed to it. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLogger: Logger = Object.freeze({ info() {}, warn() {}, error() {} });

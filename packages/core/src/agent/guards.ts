import type { Logger } from '../protocol/logger.ts';
import type { AgentEvent } from './events.ts';

/** A listener or logger that throws does not disturb a run; it is said once. */
export function guardedListener(
  listener: ((event: AgentEvent) => void) | undefined,
  logger: Logger,
): (event: AgentEvent) => void {
  let told = false;
  const ignore = (event: AgentEvent) => () => {
    if (!told) logger.error({ event: event.type }, 'The onEvent listener threw; what it throws is ignored.');
    told = true;
  };
  return (event) => {
    try {
      // An async function is a listener to TypeScript, and its rejection would end the process.
      const returned: unknown = listener?.(event);
      if (returned instanceof Promise) returned.catch(ignore(event));
    } catch {
      ignore(event)();
    }
  };
}

export function guardedLogger(logger: Logger): Logger {
  const guarded = (level: keyof Logger) => (fields: object, message: string) => {
    try {
      const returned: unknown = logger[level](fields, message);
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // A logger that fails has no place to say so.
    }
  };
  return { info: guarded('info'), warn: guarded('warn'), error: guarded('error') };
}

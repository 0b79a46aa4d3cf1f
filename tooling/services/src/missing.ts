/** A service that cannot be had here, and what would help. */
export interface Missing {
  readonly missing: string;
}

export const isMissing = (service: object): service is Missing => 'missing' in service;

/** In CI a skipped test would look like a pass, so there a missing service is an error. */
export function missing(service: string, help: string): Missing {
  const message = `${service} is missing: ${help}`;
  if (process.env.CI && process.env.CI !== 'false') throw new Error(message);
  return { missing: message };
}

/** A machine that starts processes all the time answers late; in milliseconds. */
export const timeouts = { connectTimeoutMs: 20_000, commandTimeoutMs: 20_000 } as const;

/**
 * The server's own word for an error (`context_length_exceeded`), where it gives one. Its message is left alone: it may
 * quote the request, or the key.
 */
export function reasonIn(body: unknown): string | undefined {
  const { error } = (body ?? {}) as { error?: { code?: unknown; type?: unknown } | null };
  return [error?.code, error?.type].find(
    (value): value is string => typeof value === 'string' && /^[a-z][a-z_]{0,59}$/.test(value),
  );
}

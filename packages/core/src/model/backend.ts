import type { Model } from './model.ts';

/** A model connection as a settings file describes it. */
export interface ModelConnection {
  /** The connection's name, for messages. */
  readonly name: string;
  /** The model to ask where a profile names no other. */
  readonly defaultModel: string;
  /** How long one call may take, in seconds; default: the backend's own. */
  readonly timeoutSeconds?: number;
  /** The `provider` table as it stands, secrets resolved: `base_url`, `api_key` … Each backend checks its own. */
  readonly provider: Readonly<Record<string, unknown>>;
}

/**
 * What a model package exports so that a settings file can name its backend. The application hands over the ones it
 * installed; nothing is imported by name.
 */
export interface ModelBackend {
  /** The value of `backend` in a settings file that means this one. */
  readonly backend: string;
  /** The keys that its `provider` table may have; others are refused with the nearest of these. Left out: any. */
  readonly providerKeys?: readonly string[];
  /** Makes no request; a setting that is missing or wrong is a `configuration` error with its path. */
  create(connection: ModelConnection): Model;
}

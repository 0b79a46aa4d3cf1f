import { dirname, join, resolve } from 'node:path';
import { buildSettings } from './build.ts';
import { faultsOf } from './check.ts';
import { activeEnvironment, assertPrefix, type Variables } from './environment.ts';
import { configurationError, refuse } from './faults.ts';
import { readSettingsFile } from './files.ts';
import { type Layer, mergeLayers } from './layers.ts';
import { normalise } from './normalise.ts';
import { assertOptions } from './options.ts';
import type { ResolveSecret } from './references.ts';
import { resolveProviders } from './secrets.ts';
import { layersOfFile, refuseNearEnvironment } from './sections.ts';
import type { Settings } from './settings.ts';
import { faultsOfTtl } from './time-to-live.ts';
import { pathsOfModels } from './used-models.ts';
import { faultsOfUsedStore, pathOfStore } from './used-store.ts';
import { layersOfVariables } from './variables.ts';

export interface LoadOptions {
  /** The settings file. Left out: `settings.toml` in the working directory, where there is one. */
  readonly path?: string;
  /** The active environment. Left out: what the variable `<PREFIX>_ENV` says, else none. */
  readonly environment?: string;
  /** Default: `process.env`. */
  readonly env?: Variables;
  /** What the names of environment variables begin with; default `AGENT_STATE`. */
  readonly prefix?: string;
  /** Gives the secrets that the file only refers to, as `{ path, key }`. */
  readonly resolveSecret?: ResolveSecret;
}

const known = { path: true, environment: true, env: true, prefix: true, resolveSecret: true } as const;

/**
 * Settings from, in this order: `[default]`, the active environment's section, `ENVIRONMENT.toml` beside the file, and
 * environment variables; the later has the last word. What is wrong is one `configuration` error that names each file
 * or variable, each key, and what was expected, and never shows a value.
 */
export async function loadSettings(options: LoadOptions = {}): Promise<Settings> {
  const { env = process.env, prefix = 'AGENT_STATE' } = options;
  assertOptions(options, known);
  assertPrefix(prefix);
  const environment = activeEnvironment(options.environment, env, prefix);
  const files = (await layersOfFiles(options.path, environment)).map(normalise);
  const layers = [...files, ...layersOfVariables(env, prefix, mergeLayers(files))];
  const tables = mergeLayers(layers);
  refuse(faultsOf(tables), layers);
  refuse([...faultsOfUsedStore(tables), ...faultsOfTtl(tables)], layers);
  const store = pathOfStore(tables);
  const used = [...(store === undefined ? [] : [store]), ...pathsOfModels(tables)];
  const providers = await resolveProviders(tables, used, options.resolveSecret);
  return buildSettings(tables, providers, { environment, sources: layers.map(({ source }) => source) });
}

async function layersOfFiles(given: string | undefined, environment: string | undefined): Promise<Layer[]> {
  if (given === '')
    throw configurationError('path', 'The option path: expected the path of a file, got an empty string.');
  const path = resolve(given ?? 'settings.toml');
  const file = await readSettingsFile(path);
  if (file === undefined && given !== undefined)
    throw configurationError(path, `Settings file ${path}: there is none.`);
  if (file === undefined) return [];
  const layers = layersOfFile(file, path, environment);
  if (environment === undefined) return layers;
  const besides = join(dirname(path), `${environment}.toml`);
  const second = besides === path ? undefined : await readSettingsFile(besides);
  if (second !== undefined) return [...layers, ...layersOfFile(second, besides, environment)];
  refuseNearEnvironment(file, path, environment);
  return layers;
}

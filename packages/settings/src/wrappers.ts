import * as v from 'valibot';
import type { Fault } from './faults.ts';
import { issuesOf } from './issues.ts';
import type { TableSchema } from './known-tables.ts';
import { defaultTtlSchema, keyResolverSchema, wrapperSchema } from './schema.ts';
import type { WrapperSettings } from './settings.ts';
import { nearest } from './suggestions.ts';
import { isTable, own, type Path, type Table } from './table.ts';

const configs: Readonly<Record<string, TableSchema>> = {
  default_ttl: defaultTtlSchema,
  key_resolver: keyResolverSchema,
};

/** The faults of the wrappers that are enabled, of which there may be one of each name. */
export function faultsOfWrappers(connection: Table, path: Path): Fault[] {
  const names = new Set<string>();
  return wrappersOf(connection).flatMap((wrapper, index) => {
    const at = [...path, 'wrappers', index];
    const faults = [...issuesOf(wrapperSchema, wrapper, at), ...unknownKeys(wrapper, wrapperSchema, at)];
    if (faults.length > 0 || wrapper.enabled === false) return faults;
    const name = String(wrapper.name);
    if (names.has(name)) return [{ path: [...at, 'name'], says: 'there twice; enable one of them.' }];
    names.add(name);
    return faultsOfConfig(name, wrapper, at);
  });
}

function faultsOfConfig(name: string, wrapper: Table, at: Path): Fault[] {
  const schema = own(configs, name);
  if (schema === undefined) {
    const meant = nearest(name, Object.keys(configs));
    const known = meant === undefined ? 'known are default_ttl and key_resolver.' : `did you mean ${meant}?`;
    return [{ path: [...at, 'name'], says: `unknown wrapper; ${known}` }];
  }
  const config = isTable(wrapper.config) ? wrapper.config : {};
  const inner = [...at, 'config'];
  return [...issuesOf(schema, config, inner), ...unknownKeys(config, schema, inner)];
}

function unknownKeys(table: Table, schema: TableSchema, at: Path): Fault[] {
  const known = Object.keys(schema.entries);
  return Object.keys(table).flatMap((key) => {
    if (known.includes(key)) return [];
    const meant = nearest(key, known);
    return [{ path: [...at, key], says: `unknown key${meant === undefined ? '.' : `; did you mean ${meant}?`}` }];
  });
}

/** What the enabled wrappers of a connection say; of those that cannot be read, nothing. */
export function wrapperSettings(connection: Table): WrapperSettings {
  const config = (name: string) =>
    wrappersOf(connection).find((wrapper) => wrapper.name === name && wrapper.enabled !== false);
  const ttl = v.safeParse(defaultTtlSchema, config('default_ttl')?.config);
  const resolver = config('key_resolver');
  const keys = v.safeParse(keyResolverSchema, resolver?.config ?? {});
  return {
    ...(ttl.success && { defaultTtlSeconds: ttl.output.default_ttl_seconds }),
    ...(resolver !== undefined && keys.success && { keyResolver: keyResolverOf(keys.output) }),
  };
}

function keyResolverOf(config: v.InferOutput<typeof keyResolverSchema>) {
  const { static_prefix: staticPrefix, tenant, tenant_required: tenantRequired, namespace } = config;
  return {
    ...(staticPrefix !== undefined && { staticPrefix }),
    ...(tenant !== undefined && { tenant }),
    ...(tenantRequired !== undefined && { tenantRequired }),
    ...(namespace !== undefined && { namespace }),
  };
}

function wrappersOf(connection: Table): Table[] {
  return Array.isArray(connection.wrappers) ? connection.wrappers.filter(isTable) : [];
}

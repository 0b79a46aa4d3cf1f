import { assertNamespace, isAgentStateError, keyPart } from '@agent-state/core';
import { configurationError } from './faults.ts';
import type { PersistenceSettings, StoreConnection } from './settings.ts';

/**
 * The namespace that the adapter gets. A document store's is a collection: the one that persistence names, as it is. A
 * key-value store's is made of the parts that there are, each encoded, so that two that differ in any part differ as a
 * whole: `namespace`, `connection:namespace`, or with a key_resolver `prefix:tenant:connection:namespace`, where a part
 * that is not set is empty.
 */
export function namespaceOf(persistence: PersistenceSettings, store: StoreConnection, tenant?: string): string {
  const namespace =
    persistence.strategy === 'document' ? persistence.namespace : keyNamespace(persistence, store, tenant);
  try {
    assertNamespace(namespace);
  } catch (error) {
    const reason = isAgentStateError(error) ? error.message : '';
    throw configurationError(
      'ai.agents.persistence.namespace',
      `The namespace "${namespace}" is not usable. ${reason}`,
    );
  }
  return namespace;
}

function keyNamespace(persistence: PersistenceSettings, store: StoreConnection, tenant: string | undefined): string {
  const resolver = store.wrappers.keyResolver;
  const own = persistence.namespace;
  if (resolver === undefined) {
    const parts = store.namespace === undefined ? [own] : [store.namespace, own];
    return parts.map(keyPart).join(':');
  }
  const parts = [resolver.staticPrefix, tenant ?? resolver.tenant, resolver.namespace ?? store.namespace, own];
  return parts.map((part) => (part === undefined ? '' : keyPart(part))).join(':');
}

/** Refuses a tenant that would not keep anything apart: nothing where one was meant, or one that no key would hold. */
export function assertTenant(options: { readonly tenant?: unknown }, store: StoreConnection): void {
  if (!('tenant' in options)) {
    assertNotRequired(store);
    return;
  }
  if (typeof options.tenant !== 'string' || options.tenant === '') {
    throw configurationError(
      'tenant',
      'The option tenant: expected a string that is not empty; leave it out for none.',
    );
  }
  if (store.wrappers.keyResolver !== undefined) return;
  throw configurationError(
    'tenant',
    `The option tenant needs an enabled key_resolver wrapper on the connection ${store.name}; without one no key would hold it.`,
  );
}

/** Leaving the tenant out must not be the way to the threads that are nobody's, where tenants were asked for. */
function assertNotRequired({ name, wrappers: { keyResolver } }: StoreConnection): void {
  if (keyResolver?.tenantRequired !== true || keyResolver.tenant !== undefined) return;
  throw configurationError('tenant', `The connection ${name} has tenant_required: give the option tenant.`);
}

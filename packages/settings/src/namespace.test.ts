import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertTenant, namespaceOf } from './namespace.ts';
import type { KeyResolverSettings, StoreConnection, Strategy } from './settings.ts';

interface Parts {
  readonly namespace: string;
  readonly connection?: string | undefined;
  readonly resolver?: KeyResolverSettings | undefined;
}

function store({ connection, resolver }: Omit<Parts, 'namespace'>): StoreConnection {
  return {
    name: 'main',
    enabled: true,
    provider: {},
    ...(connection !== undefined && { namespace: connection }),
    wrappers: { ...(resolver !== undefined && { keyResolver: resolver }) },
  };
}

function made(parts: Parts, strategy: Strategy = 'kv_store'): string {
  return namespaceOf({ enabled: true, strategy, namespace: parts.namespace }, store(parts));
}

it('is what persistence says, behind what the connection and its key_resolver say', () => {
  expect(made({ namespace: 'agents' })).toBe('agents');
  expect(made({ namespace: 'agents', connection: 'cache' })).toBe('cache:agents');
  const resolver = { staticPrefix: 'shop', tenant: 't-1' };
  expect(made({ namespace: 'agents', connection: 'cache', resolver })).toBe('shop:t-1:cache:agents');
  expect(made({ namespace: 'agents', connection: 'cache', resolver: { ...resolver, namespace: 'own' } })).toBe(
    'shop:t-1:own:agents',
  );
  expect(made({ namespace: 'agents', resolver: {} })).toBe(':::agents');
});

it('keeps parts apart that joined as they are would be the same', () => {
  const both = (one: KeyResolverSettings, other: KeyResolverSettings) =>
    [one, other].map((resolver) => made({ namespace: 'n', resolver }));
  const [first, second] = both({ staticPrefix: 'a:b', tenant: 'c' }, { staticPrefix: 'a', tenant: 'b:c' });
  expect(first).not.toBe(second);
  const [prefix, tenant] = both({ staticPrefix: 'a' }, { tenant: 'a' });
  expect(prefix).not.toBe(tenant);
});

it('of a document store is the collection, as it is written', () => {
  expect(made({ namespace: 'agent_checkpoints', connection: 'cache' }, 'document')).toBe('agent_checkpoints');
});

const part = fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', ':', '%') });
const resolver = fc.record({ staticPrefix: part, tenant: part }, { requiredKeys: [] });
const parts = fc.record({
  namespace: part,
  connection: fc.option(part, { nil: undefined }),
  resolver: fc.option(resolver, { nil: undefined }),
});

it('is different wherever a part is: no tenant, prefix or namespace can be mistaken for another', () => {
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      const same =
        JSON.stringify(one) === JSON.stringify(other) || JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
      expect(made(one) === made(other)).toBe(same);
    }),
    { numRuns: 2_000 },
  );
});

function sorted({ namespace, connection, resolver: found }: Parts) {
  return [namespace, connection ?? null, found ? [found.staticPrefix ?? null, found.tenant ?? null] : null];
}

it('is refused where no store could hold it, by the name of its setting', () => {
  expect(() => made({ namespace: 'x'.repeat(121) })).toThrow(/namespace/);
  expect(() => made({ namespace: 'a\nb' }, 'document')).toThrow(/control characters/);
});

it('[S-TEN-02] a tenant that is missing, empty or no string is refused, never taken for none', () => {
  const resolving = store({ resolver: {} });
  for (const tenant of ['', null, undefined, 1]) expect(() => assertTenant({ tenant }, resolving)).toThrow(/tenant/);
  expect(() => assertTenant({ tenant: 'a' }, store({}))).toThrow(/key_resolver/);
  assertTenant({ tenant: 'a' }, resolving);
  assertTenant({}, store({}));
});

it('[S-TEN-02] a tenant that is left out is refused where one is required', () => {
  const required = store({ resolver: { staticPrefix: 'shop', tenantRequired: true } });
  for (const options of [{}, { tenant: undefined }, { tenant: '' }]) {
    expect(() => assertTenant(options, required)).toThrow(/tenant/);
  }
  assertTenant({ tenant: 'a' }, required);
  assertTenant({}, store({ resolver: { tenant: 'a', tenantRequired: true } }));
  assertTenant({}, store({ resolver: { staticPrefix: 'shop' } }));
});

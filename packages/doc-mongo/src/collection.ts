import { AgentStateError, assertNamespace } from '@agent-state/core';

/** MongoDB takes 255 bytes for database, collection and the dot between; the chunks' collection has the longer name. */
const maxBytes = 255 - 63 - 1 - '.chunks'.length;

/**
 * The namespace as the name of a collection: as it is, but for what MongoDB does not take, which is percent-encoded
 * (and `%` with it, so that two namespaces are never one collection).
 */
export function collectionOf(namespace: string): string {
  assertNamespace(namespace);
  const name = namespace
    .replace(/[%$]/g, percentEncoded)
    .replace(/^\.|\.$|\.(?=\.)|(?<=\.)\./g, percentEncoded)
    .replace(/^s(?=ystem\.)/, percentEncoded);
  if (Buffer.byteLength(name) <= maxBytes) return name;
  throw new AgentStateError('configuration', `namespace is too long for the name of a collection.`, {
    path: 'namespace',
  });
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

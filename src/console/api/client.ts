// The one client of the gateway's GraphQL API. Documents are sent by their hashes: the gateway has the texts.

import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
import { type AnyVariables, Client, cacheExchange, fetchExchange, type TypedDocumentNode } from '@urql/core';
import { fetchAsCaller } from './session.js';

const URL_PATH = '/graphql';

/** A document as the code generator writes it. */
export type GeneratedDocument<Data, Variables> = DocumentTypeDecoration<Data, Variables>;

/** The SHA-256 of a generated document. */
export function hashOf<Data, Variables>(document: GeneratedDocument<Data, Variables>): string {
  return (document as { __meta__?: { hash?: string } }).__meta__?.hash ?? '';
}

const named = new WeakMap<object, unknown>();

/** A generated document in the form that urql sends by its id. */
export function byHash<Data, Variables extends AnyVariables>(
  document: GeneratedDocument<Data, Variables>,
): TypedDocumentNode<Data, Variables> {
  const node = named.get(document) ?? { kind: 'Document', definitions: [], documentId: hashOf(document) };
  named.set(document, node);
  return node as TypedDocumentNode<Data, Variables>;
}

/** A client with an empty cache. Each caller gets a client of its own. */
export const newClient = (): Client =>
  new Client({
    url: URL_PATH,
    preferGetMethod: false,
    exchanges: [cacheExchange, fetchExchange],
    fetch: fetchAsCaller,
  });

// Prints changes of the catalog as they happen, and misses none when the connection is cut: npm run watch [address]
import { setTimeout as delay } from 'node:timers/promises';
import type { CatalogChangesSubscription } from './generated/graphql/graphql.js';
import { graphql } from './generated/graphql/index.js';
import { GraphqlClient, RefusedError } from './graphql-client.js';
import './one-sentence.js';

const [address = 'http://127.0.0.1:4000'] = process.argv.slice(2);
const client = new GraphqlClient(address);

const CatalogChanges = graphql(`
  subscription CatalogChanges($after: ID) {
    catalogChanged(after: $after) {
      id
      changes {
        type
        kind
        entryId
        node {
          __typename
          ... on Credential {
            name
            issuer {
              name
            }
          }
          ... on Verifier {
            name
            verifierDid
          }
        }
      }
    }
  }
`);

type Change = CatalogChangesSubscription['catalogChanged']['changes'][number];

function lineOf({ type, kind, entryId, node }: Change): string {
  const what = `${type} ${kind}/${entryId}`;
  if (node?.__typename === 'Credential') return `${what}: ${node.name}, by ${node.issuer.name}`;
  if (node?.__typename === 'Verifier') return `${what}: ${node.name}, ${node.verifierDid}`;
  return what;
}

console.log(`changes of the catalog at ${address}, until Ctrl+C`);
for (let after: string | undefined; ; await delay(1_000)) {
  try {
    for await (const { catalogChanged } of client.subscribe(CatalogChanges, { after })) {
      for (const change of catalogChanged.changes) console.log(lineOf(change));
      after = catalogChanged.id;
    }
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    console.log('the connection is cut');
  }
}

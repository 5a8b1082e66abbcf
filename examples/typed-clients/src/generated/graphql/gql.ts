/* eslint-disable */
import * as types from './graphql.js';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query Popular($first: Int!, $after: String) {\n    credentials(first: $first, after: $after, orderBy: { field: POPULARITY }) {\n      totalCount\n      pageInfo {\n        endCursor\n      }\n      nodes {\n        name\n        issuer {\n          name\n        }\n        traction {\n          holderCount\n        }\n        programs(first: 1) {\n          nodes {\n            name\n            verifier {\n              name\n            }\n            acceptedCredentials {\n              verificationConditions\n            }\n          }\n        }\n      }\n    }\n  }\n": typeof types.PopularDocument,
    "\n  subscription CatalogChanges($after: ID) {\n    catalogChanged(after: $after) {\n      id\n      changes {\n        type\n        kind\n        entryId\n        node {\n          __typename\n          ... on Credential {\n            name\n            issuer {\n              name\n            }\n          }\n          ... on Verifier {\n            name\n            verifierDid\n          }\n        }\n      }\n    }\n  }\n": typeof types.CatalogChangesDocument,
};
const documents: Documents = {
    "\n  query Popular($first: Int!, $after: String) {\n    credentials(first: $first, after: $after, orderBy: { field: POPULARITY }) {\n      totalCount\n      pageInfo {\n        endCursor\n      }\n      nodes {\n        name\n        issuer {\n          name\n        }\n        traction {\n          holderCount\n        }\n        programs(first: 1) {\n          nodes {\n            name\n            verifier {\n              name\n            }\n            acceptedCredentials {\n              verificationConditions\n            }\n          }\n        }\n      }\n    }\n  }\n": types.PopularDocument,
    "\n  subscription CatalogChanges($after: ID) {\n    catalogChanged(after: $after) {\n      id\n      changes {\n        type\n        kind\n        entryId\n        node {\n          __typename\n          ... on Credential {\n            name\n            issuer {\n              name\n            }\n          }\n          ... on Verifier {\n            name\n            verifierDid\n          }\n        }\n      }\n    }\n  }\n": types.CatalogChangesDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Popular($first: Int!, $after: String) {\n    credentials(first: $first, after: $after, orderBy: { field: POPULARITY }) {\n      totalCount\n      pageInfo {\n        endCursor\n      }\n      nodes {\n        name\n        issuer {\n          name\n        }\n        traction {\n          holderCount\n        }\n        programs(first: 1) {\n          nodes {\n            name\n            verifier {\n              name\n            }\n            acceptedCredentials {\n              verificationConditions\n            }\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.js').PopularDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription CatalogChanges($after: ID) {\n    catalogChanged(after: $after) {\n      id\n      changes {\n        type\n        kind\n        entryId\n        node {\n          __typename\n          ... on Credential {\n            name\n            issuer {\n              name\n            }\n          }\n          ... on Verifier {\n            name\n            verifierDid\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.js').CatalogChangesDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

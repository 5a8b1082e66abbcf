// Two pages of the most used credentials, each with its issuer and a program that accepts it: npm run catalog [address]
import { graphql } from './generated/graphql/index.js';
import { GraphqlClient } from './graphql-client.js';
import './one-sentence.js';

const [address = 'http://127.0.0.1:4000'] = process.argv.slice(2);
const client = new GraphqlClient(address);

const Popular = graphql(`
  query Popular($first: Int!, $after: String) {
    credentials(first: $first, after: $after, orderBy: { field: POPULARITY }) {
      totalCount
      pageInfo {
        endCursor
      }
      nodes {
        name
        issuer {
          name
        }
        traction {
          holderCount
        }
        programs(first: 1) {
          nodes {
            name
            verifier {
              name
            }
            acceptedCredentials {
              verificationConditions
            }
          }
        }
      }
    }
  }
`);

let after: string | null | undefined;
for (const page of [1, 2]) {
  const { credentials } = await client.query(Popular, { first: 3, after });
  console.log(`page ${page} of ${credentials.totalCount} credentials`);
  for (const { name, issuer, traction, programs } of credentials.nodes) {
    console.log(`  ${name}, by ${issuer.name}: ${traction.holderCount} holders`);
    for (const { name, verifier, acceptedCredentials } of programs.nodes) {
      const conditions = acceptedCredentials.flatMap(({ verificationConditions }) => verificationConditions);
      console.log(`    for ${name} of ${verifier.name}: ${[...new Set(conditions)].join(', ') || 'no conditions'}`);
    }
  }
  after = credentials.pageInfo.endCursor;
}

// The page that everybody is measured with: 20 credentials, four relations, 182 objects, 441 leaves, about 10 KB.

export const FIRST = 20;

const SELECTION = `{
  credentials(first: $first, orderBy: { field: POPULARITY, direction: DESC }) {
    nodes {
      credentialId name category
      issuer { issuerId name issuerDid }
      schema { schemaId title }
      traction { holderCount issuanceCount verificationCount demandCount }
      programs(first: 2) { nodes { programId name pricingModel verifier { verifierId name } } }
    }
    pageInfo { hasNextPage }
  }
}`;

/** The request's body; `name` makes it another document. */
export function pageBody(name = 'Page'): string {
  return JSON.stringify({ query: `query ${name}($first: Int!) ${SELECTION}`, variables: { first: FIRST } });
}

/** What the page answers, as far as other measurements need it. */
export interface PageData {
  credentials: {
    nodes: {
      credentialId: string;
      issuer: { issuerId: string };
      schema: { schemaId: string };
      programs: { nodes: { programId: string }[] };
    }[];
  };
}

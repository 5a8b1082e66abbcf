// The schema of the peers that write one by hand: what the page needs.
export const PAGE_SCHEMA = `
  enum CredentialOrderField { POPULARITY NAME CREATED }
  enum Direction { ASC DESC }
  input CredentialOrder { field: CredentialOrderField! direction: Direction }
  type Issuer { issuerId: String! name: String! issuerDid: String! }
  type Schema { schemaId: String! title: String! }
  type Verifier { verifierId: String! name: String! }
  type Traction { holderCount: Int! issuanceCount: Int! verificationCount: Int! demandCount: Int! }
  type Program { programId: String! name: String! pricingModel: String! verifier: Verifier! }
  type ProgramConnection { nodes: [Program!]! }
  type Credential {
    credentialId: String! name: String! category: String! issuer: Issuer! schema: Schema! traction: Traction!
    programs(first: Int): ProgramConnection!
  }
  type PageInfo { hasNextPage: Boolean! }
  type CredentialConnection { nodes: [Credential!]! pageInfo: PageInfo! }
  type Query { credentials(first: Int, orderBy: CredentialOrder): CredentialConnection! }
`;

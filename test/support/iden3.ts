// iden3's own library, as issuers use it. What the tests use of it is declared here, because its declarations name
// their files without extensions, which NodeNext does not resolve.
import * as library from '@iden3/js-iden3-core';

export interface Iden3Id {
  string(): string;
  type(): Uint8Array;
}

interface Iden3Claim {
  getIndexId(): Iden3Id;
  hex(): string;
}

interface Library {
  Id: { fromString(text: string): Iden3Id };
  SchemaHash: new (bytes: Uint8Array) => object;
  Claim: { newClaim(schema: object, ...options: object[]): Iden3Claim };
  ClaimOptions: { withIndexId(id: Iden3Id): object };
  DID: { parse(text: string): object; idFromDID(did: object): Iden3Id };
  registerDidMethodNetwork(network: Record<string, string | number>): void;
}

const { Id, SchemaHash, Claim, ClaimOptions, DID, registerDidMethodNetwork } = library as unknown as Library;

// The DID method that a back end of such a network registers when it starts.
const METHOD = { method: 'core', methodByte: 0x03, blockchain: 'id' };
registerDidMethodNetwork({ ...METHOD, network: 'testnet', networkFlag: 0xd2 });
registerDidMethodNetwork({ ...METHOD, network: 'main', networkFlag: 0xd1 });

/** The id that a text encodes. @throws Error when it is not an iden3 id: wrong length or checksum. */
export const idOf = (text: string): Iden3Id => Id.fromString(text);

/** The id that a DID contains. @throws Error when its type is not that of the DID's network. */
export const idOfDid = (did: string): Iden3Id => DID.idFromDID(DID.parse(did));

/** A claim about an id. */
export const claimAbout = (id: Iden3Id): Iden3Claim =>
  Claim.newClaim(new SchemaHash(new Uint8Array(16)), ClaimOptions.withIndexId(id));

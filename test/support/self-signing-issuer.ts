// The issuer of examples/self-signing-issuer.mjs, with types. It is written from the contract and uses none of the gateway's code (contract §12).

/** One data point, as `GET /v1/schemas/{id}/versions/{n}/encoding` names it. */
interface Point {
  name: string;
  family: 'number' | 'date' | 'boolean' | 'text' | 'json';
}

/** What is signed, and for which holder. */
export interface Signing {
  credentialId: string;
  schemaId: string;
  schemaVersion: number;
  points: readonly Point[];
  /** The holder as initialize-user returns it. */
  holder: { did: string; publicKey: string };
  credentialSubject: Record<string, unknown>;
  expiresAt?: string | null;
}

/** A body of `POST /v1/dstorage/vcs`. */
export interface SignedBody {
  holderDid: string;
  proofType: string;
  schemaId: string;
  expiresAt: string | null;
  data: string;
  iv: string;
  authTag: string;
  encryptedKey: string;
  externalId: string;
  claim: {
    issuerDid: string;
    credentialId: string;
    schemaVersion: number;
    coreClaimHash: string;
    revocationNonce: string;
  };
}

export interface SelfSigningIssuer {
  did: string;
  /** The key as the issuer's record has it. */
  zkKey: { kid: string; publicKeyMultibase: string };
  sign(signing: Signing): Promise<SignedBody>;
}

const EXAMPLE = new URL('../../examples/self-signing-issuer.mjs', import.meta.url).href;

/** Creates an issuer with a DID key and a BBS key of its own. */
export async function selfSigningIssuer(did: string): Promise<SelfSigningIssuer> {
  const example: { selfSigningIssuer: typeof selfSigningIssuer } = await import(EXAMPLE);
  return example.selfSigningIssuer(did);
}

// The credential itself: a W3C Verifiable Credential 2.0, secured as a `vc+jwt` compact JWS (VC-JOSE-COSE §3.1.1), and its claim.
import type { KeyObject } from 'node:crypto';
import { VC_JWT_TYPE } from '../http/requests/media-types.js';
import { type Envelope, encryptTo } from '../keys/holder-encryption.js';
import type { IssuerSigner } from '../keys/managed-issuers.js';
import type { ZkMember } from '../keys/zk/keys.js';
import type { CoreClaim } from './claim-hash.js';
import type { EnvelopedCredential } from './types.js';

export interface CredentialFacts {
  /** UUID of the issuance; the credential's id is its URN. */
  id: string;
  claim: CoreClaim;
  validFrom: Date;
  schemaVersion: number;
  statusListId: string;
  statusListIndex: number;
  /** The gateway's address for verifiers. */
  publicUrl: string;
}

/** The second context lets JSON-LD processors read members that no context defines, such as data points. */
const CONTEXTS = ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/ns/credentials/undefined-terms/v2'];

/** Address of one version of a schema's document. */
export function schemaAddress(publicUrl: string, schemaId: string, version: number): string {
  return `${publicUrl}/v1/schemas/${encodeURIComponent(schemaId)}/versions/${version}`;
}

/** Address of a status list credential. */
export function statusListAddress(publicUrl: string, statusListId: string): string {
  return `${publicUrl}/v1/credentials/status-lists/${encodeURIComponent(statusListId)}`;
}

/** The credential's JSON, before it is signed. */
export function credentialDocument(facts: CredentialFacts): Record<string, unknown> {
  const { claim, publicUrl, statusListId, statusListIndex } = facts;
  const statusListCredential = statusListAddress(publicUrl, statusListId);
  return {
    '@context': CONTEXTS,
    id: `urn:uuid:${facts.id}`,
    type: ['VerifiableCredential'],
    issuer: claim.issuerDid,
    // For readers of JWTs; VC-JOSE-COSE requires it to be equal to `issuer`.
    iss: claim.issuerDid,
    validFrom: facts.validFrom.toISOString(),
    ...(claim.expiresAt === null ? {} : { validUntil: claim.expiresAt }),
    credentialSubject: { ...claim.credentialSubject, id: claim.holderDid },
    credentialSchema: { id: schemaAddress(publicUrl, claim.schemaId, facts.schemaVersion), type: 'JsonSchema' },
    credentialStatus: {
      id: `${statusListCredential}#${statusListIndex}`,
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListIndex: String(statusListIndex),
      statusListCredential,
      revocationNonce: claim.revocationNonce,
    },
  };
}

/** A signed credential as JSON: the JWT inside of a `data:` URL (VC Data Model 2.0 §4.13). */
export const envelopedCredentialOf = (jwt: string): EnvelopedCredential => ({
  '@context': 'https://www.w3.org/ns/credentials/v2',
  id: `data:${VC_JWT_TYPE},${jwt}`,
  type: 'EnvelopedVerifiableCredential',
});

/** Signs with the issuer's key and encrypts `{vc, coreClaim, zk?}` to the holder (contract §5, §12). */
export async function signAndSeal(
  facts: CredentialFacts,
  { signer, methodId }: IssuerSigner,
  holderKey: KeyObject,
  zk: ZkMember | undefined,
): Promise<Envelope> {
  const document = JSON.stringify(credentialDocument(facts));
  const vc = await signer.sign(document, { kid: methodId, typ: 'vc+jwt', cty: 'vc' });
  return encryptTo(holderKey, JSON.stringify({ vc, coreClaim: facts.claim, ...(zk && { zk }) }));
}

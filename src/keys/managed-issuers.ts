// Managed issuers: the gateway holds their signing keys (contract §5, §7). Their DID is did:web when the gateway has a public https
// address, otherwise did:key. Keys of did:web can be rotated; a did:key never changes its key.
import type { JWK } from 'jose';
import type { ClientSession } from 'mongoose';
import { DomainError } from '../base/errors.js';
import { type DidDocument, didKeyMethodId, didKeyOf, didWebOf, issuerDidDocument } from './did.js';
import type { KeyOwner, Signer, SigningKeys } from './signing-keys.js';

/** A managed issuer's signing key and the id of its verification method in the issuer's DID document. */
export interface IssuerSigner {
  methodId: string;
  signer: Signer;
}

const ownerOf = (issuerId: string): KeyOwner => `issuer:${issuerId}`;
const isDidKey = (did: string): boolean => did.startsWith('did:key:');

/** Keys and DIDs of managed issuers. */
export class ManagedIssuers {
  /** @param publicUrl the gateway's public address; issuers get did:web only if it is https. */
  constructor(
    private readonly keys: SigningKeys,
    private readonly publicUrl?: string,
  ) {}

  /** Creates the issuer's key if it has none and returns its DID; with a session, as part of that transaction. */
  async create(issuerId: string, session?: ClientSession): Promise<{ issuerDid: string }> {
    const jwk = await this.keys.ensure(ownerOf(issuerId), session);
    if (this.publicUrl?.startsWith('https://') !== true) return { issuerDid: didKeyOf(jwk) };
    return { issuerDid: didWebOf(this.publicUrl, ['v1', 'issuers', issuerId]) };
  }

  /** The issuer's current signing key. */
  async signer(issuerId: string, issuerDid: string): Promise<IssuerSigner> {
    const signer = await this.keys.signer(ownerOf(issuerId));
    return { signer, methodId: methodIdOf(issuerDid, signer.kid) };
  }

  /** The issuer's DID document, with all its keys, past and present. */
  async document(issuerId: string, issuerDid: string): Promise<DidDocument> {
    const { keys } = await this.keys.jwks(ownerOf(issuerId));
    return issuerDidDocument(
      issuerDid,
      keys.map((jwk) => ({ methodId: methodIdOf(issuerDid, jwk.kid ?? ''), jwk })),
    );
  }

  /**
   * Creates the next key of a did:web issuer, as part of a transaction; earlier credentials stay verifiable. Returns its public JWK.
   * @throws DomainError CONFLICT for did:key
   */
  async rotate(issuerId: string, issuerDid: string, session?: ClientSession): Promise<JWK> {
    if (isDidKey(issuerDid)) {
      throw new DomainError('CONFLICT', 'The DID of a did:key issuer is its key, so the key cannot be changed.');
    }
    return this.keys.rotate(ownerOf(issuerId), session);
  }
}

function methodIdOf(issuerDid: string, kid: string): string {
  return isDidKey(issuerDid) ? didKeyMethodId(issuerDid) : `${issuerDid}#${kid}`;
}

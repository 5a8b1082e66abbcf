// Public keys of issuers (contract §12): for verifying proofs; and the DID documents of managed did:web issuers.
import canonicalize from 'canonicalize';
import { DomainError } from '../../base/errors.js';
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import type { IssuerRow } from '../../catalog/rows/models.js';
import type { DidDocument } from '../../keys/did.js';
import type { ManagedIssuers } from '../../keys/managed-issuers.js';
import type { PublicZkKey, ZkKeys } from '../../keys/zk/keys.js';
import { SIGNATURE_SUITE } from '../../zk/index.js';
import type { IssuerZkKeys } from '../forms/types.js';

export interface IssuerKeyOptions {
  catalog: IssuingCatalog;
  managedIssuers: ManagedIssuers;
  zkKeys: ZkKeys;
}

/** The `typ` of a key list's signature. */
const KEYS_TYPE = 'zk-keys+jws';

/** Publishes the proof keys of issuers. */
export class IssuerKeys {
  constructor(private readonly options: IssuerKeyOptions) {}

  /**
   * The valid keys of an issuer, newest first; signed over the RFC 8785 form of the other members if the gateway has
   * the issuer's DID key.
   * @throws DomainError NOT_FOUND.
   */
  async zkKeys(issuerId: string): Promise<IssuerZkKeys> {
    const row = await this.#issuer(issuerId);
    const { managed, issuerDid } = row;
    const keys = managed ? await this.options.zkKeys.publicKeys(issuerId) : registeredKeys(row);
    const list = { issuerDid, keys };
    if (!managed) return { ...list, proof: null };
    const { signer, methodId } = await this.options.managedIssuers.signer(issuerId, issuerDid);
    const text = canonicalize(JSON.parse(JSON.stringify(list))) ?? '';
    return { ...list, proof: await signer.sign(text, { kid: methodId, typ: KEYS_TYPE }) };
  }

  /** A valid public key of an issuer, z-base58, or undefined. */
  async publicKey(issuerId: string, kid: string): Promise<string | undefined> {
    const issuer = await this.options.catalog.issuer(issuerId);
    if (issuer?.managed) return this.options.zkKeys.publicKey(issuerId, kid);
    return issuer === null ? undefined : registeredKeys(issuer).find((key) => key.kid === kid)?.publicKeyMultibase;
  }

  /** The DID document of a managed did:web issuer. @throws DomainError NOT_FOUND for any other. */
  async didDocument(issuerId: string): Promise<DidDocument> {
    const { managed, issuerDid } = await this.#issuer(issuerId);
    if (!managed || !issuerDid.startsWith('did:web:'))
      throw new DomainError('NOT_FOUND', 'No DID document of this issuer is served here.');
    return this.options.managedIssuers.document(issuerId, issuerDid);
  }

  async #issuer(issuerId: string): Promise<IssuerRow> {
    const row = await this.options.catalog.issuer(issuerId);
    if (!row) throw new DomainError('NOT_FOUND', `The issuer ${issuerId} was not found.`);
    return row;
  }
}

/** The registered keys of a self-signing issuer, newest first. */
function registeredKeys({ zkKeys = [] }: IssuerRow): PublicZkKey[] {
  return zkKeys
    .filter(({ withdrawnAt }) => withdrawnAt === null)
    .map(({ kid, publicKeyMultibase, createdAt }): PublicZkKey => {
      return { kid, suite: SIGNATURE_SUITE, publicKeyMultibase, createdAt };
    })
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}

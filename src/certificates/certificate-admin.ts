// What operators do with the keys and certificates of issuers and verifiers (docs/certificates.md). Each write is audited in the same transaction.
import type { ClientSession, Connection } from 'mongoose';
import type { OperatorCaller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import { SNAPSHOT } from '../base/mongodb/majority.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { ManagedIssuers } from '../keys/managed-issuers.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { RecordWrites } from '../store/audit-port.js';
import type { CertificateHolder, Certificates } from './certificates.service.js';
import { issuerHolder, verifierHolder } from './certificate-holders.service.js';
import type { CertificateRow } from './models.js';
import type { Certificate } from './types.js';

/** The kinds of entries that have keys of their own. */
export type KeyedKind = 'issuer' | 'verifier';

export interface CertificateAdminOptions {
  connection: Connection;
  catalog: IssuingCatalog;
  certificates: Certificates;
  signingKeys: SigningKeys;
  managedIssuers: ManagedIssuers;
  recordWrites: RecordWrites;
  publicUrl: string;
}

/** Keys and certificates of managed issuers and of verifiers. */
export class CertificateAdmin {
  constructor(private readonly options: CertificateAdminOptions) {}

  /** A certificate signing request for the newest key, PEM. @throws DomainError NOT_FOUND, CONFLICT for an issuer that is not managed. */
  async request(kind: KeyedKind, id: string): Promise<string> {
    return this.options.certificates.request(await this.#holderOf(kind, id));
  }

  /** The certificate in use. @throws DomainError NOT_FOUND, also when there is none; CONFLICT. */
  async get(kind: KeyedKind, id: string): Promise<Certificate> {
    const row = await this.options.certificates.find(await this.#holderOf(kind, id));
    if (row === null) throw new DomainError('NOT_FOUND', `The ${kind} has no certificate.`);
    return certificateOf(row);
  }

  /** Stores the certificate of the newest key. @throws DomainError NOT_FOUND, CONFLICT, BAD_USER_INPUT (chain). */
  async put(caller: OperatorCaller, kind: KeyedKind, id: string, pem: string): Promise<Certificate> {
    const { connection, certificates, recordWrites } = this.options;
    const holder = await this.#holderOf(kind, id);
    const row = await connection.transaction(async (session) => {
      const { before, after } = await certificates.put(holder, pem, session);
      const outcome = before === null ? ('created' as const) : ('updated' as const);
      const entry = { operation: `${kind}.certificate` as const, subject: id, outcome, before, after };
      await recordWrites(caller, [entry], session);
      return after;
    }, SNAPSHOT);
    certificates.forget(holder);
    return certificateOf(row);
  }

  /**
   * Creates a new key. Signatures of earlier ones stay verifiable; wallets and verifiers get the new one once it has a certificate.
   * @throws DomainError NOT_FOUND; CONFLICT for an issuer that is not managed, or whose DID is its key.
   */
  async rotateKey(caller: OperatorCaller, kind: KeyedKind, id: string): Promise<{ kid: string }> {
    const { connection, certificates, recordWrites } = this.options;
    const holder = await this.#holderOf(kind, id);
    const created = await connection.transaction(async (session) => {
      const kid = await this.#rotate(kind, id, holder, session);
      const entry = {
        operation: `${kind}.rotate-key` as const,
        subject: id,
        outcome: 'created' as const,
        after: { kid },
      };
      await recordWrites(caller, [entry], session);
      return { kid };
    }, SNAPSHOT);
    certificates.forget(holder);
    return created;
  }

  async #rotate(kind: KeyedKind, id: string, { owner }: CertificateHolder, session: ClientSession): Promise<string> {
    const { catalog, managedIssuers, signingKeys } = this.options;
    if (kind === 'verifier') {
      await signingKeys.ensure(owner, session);
      return (await signingKeys.rotate(owner, session)).kid ?? '';
    }
    const issuer = await catalog.issuer(id);
    return (await managedIssuers.rotate(id, issuer?.issuerDid ?? '', session)).kid ?? '';
  }

  async #holderOf(kind: KeyedKind, id: string): Promise<CertificateHolder> {
    const { catalog, publicUrl } = this.options;
    if (kind === 'verifier') {
      const verifier = await catalog.verifier(id);
      if (verifier === null) throw new DomainError('NOT_FOUND', 'There is no such verifier, or it is retired.');
      return verifierHolder(verifier, publicUrl);
    }
    const issuer = await catalog.issuer(id);
    if (issuer?.live !== true) throw new DomainError('NOT_FOUND', 'There is no such issuer, or it is retired.');
    if (!issuer.managed) throw new DomainError('CONFLICT', 'The issuer is not managed: the gateway has no key of it.');
    return issuerHolder(issuer, publicUrl);
  }
}

const certificateOf = ({ subject, notBefore, notAfter, sha256 }: CertificateRow): Certificate => ({
  subject,
  notBefore,
  notAfter,
  sha256,
});

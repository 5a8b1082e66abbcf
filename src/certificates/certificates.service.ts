// Certificates of the keys of managed issuers and verifiers (docs/certificates.md): requests for them, the stored ones,
// and signing with them. In the sandbox, the gateway's own authority signs a certificate when it is first needed.
import { X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ClientSession } from 'mongoose';
import { DomainError } from '../base/errors.js';
import { CACHED_READ } from '../base/mongodb/cached-read.js';
import { ignoreDuplicate } from '../base/mongodb/duplicate-key.js';
import type { KeyOwner, Signer, SigningKeys } from '../keys/signing-keys.js';
import { factsOf, readChain } from './chain.js';
import type { CertificateModels, CertificateRow } from './models.js';
import {
  type Authority,
  type CertificateSubject,
  certificateRequest,
  rootCertificate,
  signedCertificate,
} from './x509.js';

/** The issuer, verifier or authority that a certificate is for. */
export interface CertificateHolder {
  owner: KeyOwner;
  subject: CertificateSubject;
}

/** A key that has a certificate. */
export interface CertifiedSigner {
  signer: Signer;
  /** The chain without the root, as in the header `x5c`. */
  x5c: string[];
  /** SHA-256 of the certificate, hex. */
  sha256: string;
  notBefore: Date;
  notAfter: Date;
}

export interface CertificatesOptions {
  models: CertificateModels;
  signingKeys: SigningKeys;
  /** Whether this is the sandbox, which has an authority of its own. */
  sandbox: boolean;
  clock(): number;
}

const AUTHORITY = 'sandbox-ca';
const AUTHORITY_NAME = 'Credential gateway sandbox CA';
/** The sandbox renews a certificate that expires within this time, milliseconds. */
const RENEWAL_MS = 30 * 86_400_000;
/** How long a process may sign with the certificate that it read last, milliseconds. */
const MAX_AGE_MS = 10_000;
const MAX_OWNERS = 1_000;

/** The certificates of signing keys. */
export class Certificates {
  readonly #signers = new LRUCache<string, Promise<CertifiedSigner | undefined>>({ max: MAX_OWNERS, ttl: MAX_AGE_MS });

  constructor(private readonly options: CertificatesOptions) {}

  /** A certificate signing request (PKCS#10, PEM) for the holder's newest key, which is created if there is none. */
  async request({ owner, subject }: CertificateHolder): Promise<string> {
    const signer = await this.#newest(owner);
    return certificateRequest(subject, await signer.webCryptoKeys());
  }

  /**
   * Stores the certificate of the holder's newest key.
   * @param before the certificate that it replaces
   * @param pem the chain, without the root
   * @throws DomainError BAD_USER_INPUT (chain)
   */
  async put(
    { owner }: CertificateHolder,
    pem: string,
    session: ClientSession,
  ): Promise<{ before: CertificateRow | null; after: CertificateRow }> {
    const { certificates } = this.options.models;
    const { kid, publicJwk } = await this.#newest(owner);
    const chain = await readChain(pem, publicJwk, new Date(this.options.clock()));
    const after: CertificateRow = { _id: kid, owner, ...chain, ofSandbox: false };
    const before = await certificates
      .findOneAndReplace({ _id: kid }, after, { upsert: true, session })
      .lean<CertificateRow>();
    return { before, after };
  }

  /** Removes a holder's certificate from the cache, after a write. */
  forget({ owner }: CertificateHolder): void {
    this.#signers.delete(owner);
  }

  /** The certificate of the holder's newest key that has one, or null. */
  async find({ owner }: CertificateHolder): Promise<CertificateRow | null> {
    const { models, signingKeys } = this.options;
    const [signers, rows] = await Promise.all([signingKeys.signers(owner), rowsOf(models, owner)]);
    return signers.map(({ kid }) => rows.get(kid)).find((row) => row !== undefined) ?? null;
  }

  /**
   * The newest key of the holder that has a certificate, so a rotated key is not used before it has one. Undefined
   * while no key has one.
   * @throws DomainError CERTIFICATE_EXPIRED
   */
  async signer(holder: CertificateHolder): Promise<CertifiedSigner | undefined> {
    const cached = this.#signers.get(holder.owner);
    const reading = cached ?? this.#read(holder);
    if (cached === undefined) {
      this.#signers.set(holder.owner, reading);
      reading.catch(() => this.#signers.delete(holder.owner));
    }
    const found = await reading;
    if (found === undefined || found.notAfter.getTime() > this.options.clock()) return found;
    this.#signers.delete(holder.owner);
    return this.#read(holder);
  }

  /**
   * The key of a certificate, also after a rotation of the holder's key; undefined if the certificate was replaced or is
   * over. @param sha256 of the certificate, hex
   */
  async signerOf(holder: CertificateHolder, sha256: string): Promise<CertifiedSigner | undefined> {
    const { models, signingKeys, clock } = this.options;
    const [signers, rows] = await Promise.all([signingKeys.signers(holder.owner), rowsOf(models, holder.owner)]);
    const signer = signers.find(({ kid }) => rows.get(kid)?.sha256 === sha256);
    const row = signer && rows.get(signer.kid);
    return row && isValid(row, new Date(clock())) ? certifiedSigner(signer, row) : undefined;
  }

  /** The root of the sandbox's authority, PEM. @throws DomainError NOT_FOUND in production. */
  async root(): Promise<string> {
    if (!this.options.sandbox)
      throw new DomainError('NOT_FOUND', 'This is not a sandbox: it has no authority of its own.');
    return (await this.#authority()).root.toString();
  }

  async #read(holder: CertificateHolder): Promise<CertifiedSigner | undefined> {
    const { models, signingKeys, sandbox, clock } = this.options;
    const now = new Date(clock());
    if (sandbox) await signingKeys.ensure(holder.owner);
    const [signers, rows] = await Promise.all([signingKeys.signers(holder.owner), rowsOf(models, holder.owner)]);
    const [newest] = signers;
    if (sandbox && newest !== undefined && isMissing(rows.get(newest.kid), now))
      rows.set(newest.kid, await this.#issue(holder, newest, now));
    for (const signer of signers) {
      const row = rows.get(signer.kid);
      if (row && isValid(row, now)) return certifiedSigner(signer, row);
    }
    if (rows.size === 0) return undefined;
    throw new DomainError(
      'CERTIFICATE_EXPIRED',
      `The certificate of ${holder.subject.name} is over; the operator must renew it.`,
    );
  }

  async #newest(owner: KeyOwner): Promise<Signer> {
    await this.options.signingKeys.ensure(owner);
    const [newest] = await this.options.signingKeys.signers(owner);
    if (newest === undefined) throw new Error(`${owner} has no signing key`);
    return newest;
  }

  /**
   * Signs a certificate as the sandbox's authority. If two processes do so at once, the second uses the certificate
   * that the first has stored.
   */
  async #issue({ owner, subject }: CertificateHolder, signer: Signer, now: Date): Promise<CertificateRow> {
    const { publicKey } = await signer.webCryptoKeys();
    const certificate = await signedCertificate(await this.#authority(), subject, publicKey, now);
    const { kid } = signer;
    const replaced = { _id: kid, ofSandbox: true, notAfter: { $lt: new Date(now.getTime() + RENEWAL_MS) } };
    return this.#store(replaced, { _id: kid, owner, ...factsOf([certificate]), ofSandbox: true });
  }

  async #authority(): Promise<Authority> {
    const signer = await this.#newest(AUTHORITY);
    const keys = await signer.webCryptoKeys();
    const stored = (await rowsOf(this.options.models, AUTHORITY)).get(signer.kid);
    if (stored) return { root: rootOf(stored), keys };
    const root = await rootCertificate(AUTHORITY_NAME, keys, new Date(this.options.clock()));
    const row = { _id: signer.kid, owner: AUTHORITY, ...factsOf([root]), ofSandbox: false };
    return { root: rootOf(await this.#store({ _id: signer.kid, owner: '' }, row)), keys };
  }

  /** Writes a row unless there is one that the filter does not match; returns the stored row. */
  async #store(filter: object, { _id, ...fields }: CertificateRow): Promise<CertificateRow> {
    const { certificates } = this.options.models;
    await certificates.updateOne(filter, { $set: fields }, { upsert: true }).catch(ignoreDuplicate);
    const stored = await certificates.findById(_id, null, CACHED_READ).lean<CertificateRow>();
    if (stored === null) throw new Error(`The certificate ${_id} was written but does not exist.`);
    return stored;
  }
}

async function rowsOf({ certificates }: CertificateModels, owner: string): Promise<Map<string, CertificateRow>> {
  const rows = await certificates.find({ owner }, null, CACHED_READ).lean<CertificateRow[]>();
  return new Map(rows.map((row) => [row._id, row]));
}

const isValid = ({ notBefore, notAfter }: CertificateRow, now: Date): boolean => notBefore <= now && notAfter > now;

const certifiedSigner = (signer: Signer, { chain, sha256, notBefore, notAfter }: CertificateRow): CertifiedSigner => ({
  ...{ signer, x5c: chain, sha256, notBefore, notAfter },
});

const isMissing = (row: CertificateRow | undefined, now: Date): boolean =>
  row === undefined || (row.ofSandbox && row.notAfter.getTime() < now.getTime() + RENEWAL_MS);

const rootOf = ({ chain: [root = ''] }: CertificateRow): X509Certificate =>
  new X509Certificate(Buffer.from(root, 'base64'));

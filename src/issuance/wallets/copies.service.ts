// Copies of issuances for wallets: each key gets a place in a token status list, and a credential that is signed for it.
import type { Connection } from 'mongoose';
import type { JWK } from 'jose';
import { ON_DUPLICATE } from '../../base/mongodb/duplicate-key.js';
import { SNAPSHOT } from '../../base/mongodb/majority.js';
import { type IssuingCatalog, vctOf } from '../../catalog/reading/issuing.service.js';
import type { CredentialRow, IssuerRow } from '../../catalog/rows/models.js';
import { reservedName } from '../../catalog/json-schema/claim-names.service.js';
import type { Certificates } from '../../certificates/certificates.service.js';
import { issuerHolder, walletIssuer } from '../../certificates/certificate-holders.service.js';
import type { ManagedIssuers } from '../../keys/managed-issuers.js';
import type { WalletIssuance } from '../issuance.service.js';
import type { InstanceRow, IssuanceModels, IssuanceRow } from '../models.js';
import { walletClaims } from './claims.js';
import { signWalletCredential, type WalletSigner } from './credential.js';
import { Instances } from './instances.js';
import { type TypeMetadata, typeMetadata } from './type-metadata.js';

/** A key of a wallet: its JWK, and the RFC 7638 thumbprint of that. */
export interface WalletKey {
  jwk: JWK;
  thumbprint: string;
}

/** What a wallet asks for. */
export interface AskedCopies {
  /** Of the issuance. */
  subject: Record<string, unknown>;
  keys: readonly WalletKey[];
}

export interface WalletCopiesOptions {
  connection: Connection;
  models: IssuanceModels;
  catalog: IssuingCatalog;
  certificates: Certificates;
  managedIssuers: ManagedIssuers;
  publicUrl: string;
}

/** Makes copies of issuances for wallets. */
export class WalletCopies {
  readonly #instances: Instances;

  constructor(private readonly options: WalletCopiesOptions) {
    this.#instances = new Instances(options.models);
  }

  /** Places for the keys of an issuance that is yet to be written. */
  places(issuerId: string, keys: readonly WalletKey[]): Promise<InstanceRow[]> {
    return this.#instances.draw(
      issuerId,
      keys.map(({ thumbprint }) => thumbprint),
    );
  }

  /** Why a credential has no form for wallets: a name of a data point that means something else there; undefined: it has one. */
  async obstacle(credential: CredentialRow): Promise<string | undefined> {
    const { dataPoints } = await this.#versionOf(credential);
    return reservedName(dataPoints.map(({ name }) => name));
  }

  /** The type of a credential in wallets. */
  typeName(credential: Pick<CredentialRow, '_id' | 'vct'>): string {
    return vctOf(credential, this.options.publicUrl);
  }

  /**
   * A credential for each key, in the order of the keys. A key that has a place keeps it.
   * @returns undefined for an issuance that is revoked, expired or unknown
   * @throws DomainError CONFLICT beyond 100 copies; CERTIFICATE_EXPIRED
   */
  async sign(coreClaimHash: string, { now, ...asked }: AskedCopies & { now: Date }): Promise<string[] | undefined> {
    const { connection, models, catalog } = this.options;
    const thumbprints = asked.keys.map(({ thumbprint }) => thumbprint);
    const found = await ON_DUPLICATE.execute(() =>
      connection.transaction(async (session) => {
        const issuance = await models.issuances.findOne({ coreClaimHash }, null, { session }).lean<IssuanceRow>();
        if (issuance === null || !isLive(issuance, now)) return undefined;
        return { issuance, instances: await this.#instances.add(issuance, thumbprints, session) };
      }, SNAPSHOT),
    );
    const issuer = found && (await catalog.issuer(found.issuance.issuerId));
    const credential = found && (await catalog.credential(found.issuance.credentialId));
    return found && issuer && credential ? this.signIssued({ ...found, issuer, credential }, asked) : undefined;
  }

  /**
   * A credential for each key, in the order of the keys, of an issuance as it is stored.
   * @throws DomainError CERTIFICATE_EXPIRED
   */
  async signIssued(
    { issuance, instances, issuer, credential }: WalletIssuance,
    { subject, keys }: AskedCopies,
  ): Promise<string[]> {
    const { dataPoints } = await this.#versionOf({ ...credential, schemaVersion: issuance.schemaVersion });
    const content = { dataPoints, derived: credential.derived ?? [] };
    const claims = walletClaims(subject, content, issuance.createdAt.getTime());
    const signer = await this.signer(issuer);
    const { publicUrl } = this.options;
    const facts = {
      ...{ iss: walletIssuer(publicUrl, issuer._id), vct: vctOf(credential, publicUrl), publicUrl },
      ...{ issuedAt: issuance.createdAt, expiresAt: issuance.expiresAt },
    };
    return keys.map(({ jwk }, at) =>
      signWalletCredential({ ...facts, key: jwk, instance: instances[at] as InstanceRow }, claims, signer),
    );
  }

  /** The key that signs for an issuer: one with a certificate, if there is one. @throws DomainError CERTIFICATE_EXPIRED. */
  async signer(issuer: IssuerRow): Promise<WalletSigner> {
    const { certificates, managedIssuers, publicUrl } = this.options;
    const certified = await certificates.signer(issuerHolder(issuer, publicUrl));
    return certified ?? { signer: (await managedIssuers.signer(issuer._id, issuer.issuerDid)).signer };
  }

  /** Type metadata of a live credential; undefined if there is none with this id. */
  async typeOf(credentialId: string): Promise<TypeMetadata | undefined> {
    const credential = await this.options.catalog.credential(credentialId);
    if (credential === null) return undefined;
    return typeMetadata(credential, await this.#versionOf(credential), this.options.publicUrl);
  }

  /**
   * Credentials with the type of each; those without a form for wallets are left out. @param maxClaims of all types together: the others have none
   */
  async typesOf(
    credentials: readonly CredentialRow[],
    maxClaims: number,
  ): Promise<{ credential: CredentialRow; type: TypeMetadata }[]> {
    const { catalog, publicUrl } = this.options;
    const named = credentials.map(({ schemaId, schemaVersion: version }) => ({ schemaId, version }));
    const versions = await catalog.schemaVersions(named);
    const hasForm = new Map(
      [...versions].map(([key, { dataPoints }]) => [
        key,
        reservedName(dataPoints.map(({ name }) => name)) === undefined,
      ]),
    );
    let claims = 0;
    return credentials.flatMap((credential) => {
      const { schemaId, schemaVersion, derived = [] } = credential;
      const key = `${schemaId}@${schemaVersion}`;
      const version = versions.get(key);
      if (!version || !hasForm.get(key)) return [];
      claims += version.dataPoints.length + derived.length;
      const isWhole = claims <= maxClaims;
      const described = isWhole ? version : { ...version, dataPoints: [] };
      return [
        { credential, type: typeMetadata(isWhole ? credential : { ...credential, derived: [] }, described, publicUrl) },
      ];
    });
  }

  async #versionOf({ schemaId, schemaVersion }: Pick<CredentialRow, 'schemaId' | 'schemaVersion'>) {
    const version = await this.options.catalog.schemaVersion(schemaId, schemaVersion);
    if (!version) throw new Error(`the schema ${schemaId} has no version ${schemaVersion}`);
    return version;
  }
}

const isLive = ({ revokedAt, expiresAt }: IssuanceRow, now: Date): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now);

// The catalog for issuance: stored rows by id, live ones only.
import type { ClientSession } from 'mongoose';
import { LRUCache } from 'lru-cache';
import { CACHED_READ } from '../../base/mongodb/cached-read.js';
import { type JoinedReads, joinedRows } from '../../store/joined-reads.js';
import { findRow } from '../../store/plain-reads.js';
import type {
  CatalogModels,
  CredentialRow,
  DataPoint,
  IssuerRow,
  SchemaRow,
  SchemaVersionRow,
  VerifierRow,
} from '../rows/models.js';

/** Bounds of the cache of schema versions, which never change: their number, and the characters of their documents. */
const MAX_VERSIONS = 1_000;
const MAX_CHARACTERS = 16_000_000;
const CHARACTERS_OF_POINT = 200;

/** The type of a credential's form for wallets: its own, or the address of its metadata (contract §32). */
export const vctOf = ({ _id, vct }: Pick<CredentialRow, '_id' | 'vct'>, publicUrl: string): string =>
  vct ?? `${publicUrl}/vct/${encodeURIComponent(_id)}`;

/** Live catalog rows for issuance, by id. */
export class IssuingCatalog {
  readonly #versions = new LRUCache<string, SchemaVersionRow>({
    max: MAX_VERSIONS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ document = '', dataPoints }) => 1 + document.length + dataPoints.length * CHARACTERS_OF_POINT,
  });

  readonly #credentials: JoinedReads<CredentialRow>;
  readonly #issuers: JoinedReads<IssuerRow>;

  constructor(private readonly models: CatalogModels) {
    this.#credentials = joinedRows(models.credentials, '_id', { live: true });
    this.#issuers = joinedRows(models.issuers, 'issuerDid', { live: true });
  }

  /** A live credential, or null. */
  async credential(credentialId: string): Promise<CredentialRow | null> {
    return (await this.#credentials.load([credentialId])).get(credentialId) ?? null;
  }

  /** Notes that wallets may have a credential, whose type is fixed then. Writes the row the first time only: offers of one credential do not conflict. */
  async markOffered(credentialId: string, session: ClientSession): Promise<void> {
    const unmarked = { _id: credentialId, offered: { $ne: true as const } };
    await this.models.credentials.updateOne(unmarked, { $set: { offered: true } }, { session });
  }

  /** Live credentials with these ids, in any order. One command. */
  credentials(credentialIds: readonly string[]): Promise<CredentialRow[]> {
    return this.models.credentials
      .find({ _id: { $in: credentialIds }, live: true })
      .lean<CredentialRow[]>()
      .exec();
  }

  /** Live credentials of an issuer, the oldest first, at most `limit`. */
  credentialsOf(issuerId: string, limit: number): Promise<CredentialRow[]> {
    return this.models.credentials
      .find({ issuerId, live: true })
      .sort({ createdAt: 1, _id: 1 })
      .limit(limit)
      .lean<CredentialRow[]>()
      .exec();
  }

  /** The live issuer with this DID, or null. */
  async issuerByDid(issuerDid: string): Promise<IssuerRow | null> {
    return (await this.#issuers.load([issuerDid])).get(issuerDid) ?? null;
  }

  /** An issuer by its id, or null. Retired ones too, because what they signed stays verifiable. */
  issuer(issuerId: string): Promise<IssuerRow | null> {
    return findRow(this.models.issuers, { _id: issuerId });
  }

  /** A live verifier by its id, or null. */
  verifier(verifierId: string): Promise<VerifierRow | null> {
    return this.models.verifiers.findOne({ _id: verifierId, live: true }).lean<VerifierRow>().exec();
  }

  /** Live issuers with an endpoint that lists the credentials of a holder, at most `limit`. */
  issuersOffering(limit: number): Promise<IssuerRow[]> {
    return this.models.issuers
      .find({ live: true, availableVcUrl: { $gt: '' } })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<IssuerRow[]>()
      .exec();
  }

  /** A schema's content in one version. Versions are never deleted. */
  async schemaVersion(schemaId: string, version: number): Promise<SchemaVersionRow | null> {
    const id = `${schemaId}@${version}`;
    const cached = this.#versions.get(id);
    if (cached) return cached;
    const row = await this.models.schemaVersions.findById(id, null, CACHED_READ).lean<SchemaVersionRow>();
    if (row) this.#versions.set(id, row);
    return row;
  }

  /** Schema versions by `<schemaId>@<version>`; one that is unknown is left out. One command at most. */
  async schemaVersions(
    keys: readonly { schemaId: string; version: number }[],
  ): Promise<ReadonlyMap<string, SchemaVersionRow>> {
    const ids = [...new Set(keys.map(({ schemaId, version }) => `${schemaId}@${version}`))];
    const rows = new Map(ids.flatMap((id) => [this.#versions.get(id) ?? []].flat().map((row) => [id, row] as const)));
    const missing = ids.filter((id) => !rows.has(id));
    if (missing.length === 0) return rows;
    const { schemaVersions } = this.models;
    const read = schemaVersions.find({ _id: { $in: missing } }, null, CACHED_READ).lean<SchemaVersionRow[]>();
    for (const row of await read) {
      this.#versions.set(row._id, row);
      rows.set(row._id, row);
    }
    return rows;
  }

  /** Data points of a live schema's current version, or null. */
  async dataPoints(schemaId: string): Promise<DataPoint[] | null> {
    const row = await this.models.schemas.findOne({ _id: schemaId, live: true }, { dataPoints: 1 }).lean<SchemaRow>();
    return row?.dataPoints ?? null;
  }

  /** Whether an issuer has a live credential with a CAK on this schema. */
  async hasCak(issuerId: string, schemaId: string): Promise<boolean> {
    return (await this.models.credentials.exists({ issuerId, schemaId, live: true, cak: true })) !== null;
  }

  /** Whether a live schema has this id. */
  async isSchemaPublished(schemaId: string): Promise<boolean> {
    return (await this.models.schemas.exists({ _id: schemaId, live: true })) !== null;
  }
}

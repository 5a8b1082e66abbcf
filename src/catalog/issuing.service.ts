// What issuance needs of the catalog: the stored rows themselves, by id, live ones only.
import type { CatalogModels, CredentialRow, IssuerRow, SchemaVersionRow } from './models.js';

export class IssuingCatalog {
  constructor(private readonly models: CatalogModels) {}

  /** A live credential, or null. */
  credential(credentialId: string): Promise<CredentialRow | null> {
    return this.models.credentials.findOne({ _id: credentialId, live: true }).lean<CredentialRow>().exec();
  }

  /** The live issuer with this DID, or null. */
  issuerByDid(issuerDid: string): Promise<IssuerRow | null> {
    return this.models.issuers.findOne({ issuerDid, live: true }).lean<IssuerRow>().exec();
  }

  /** An issuer by its id, retired ones too (what it signed stays verifiable), or null. */
  issuer(issuerId: string): Promise<IssuerRow | null> {
    return this.models.issuers.findById(issuerId).lean<IssuerRow>().exec();
  }

  /** Live issuers that tell by themselves what a holder can have, at most `limit`. */
  issuersOffering(limit: number): Promise<IssuerRow[]> {
    return this.models.issuers
      .find({ live: true, availableVcUrl: { $gt: '' } })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<IssuerRow[]>()
      .exec();
  }

  /** A schema's content in one version; versions stay for good. */
  schemaVersion(schemaId: string, version: number): Promise<SchemaVersionRow | null> {
    return this.models.schemaVersions.findById(`${schemaId}@${version}`).lean<SchemaVersionRow>().exec();
  }

  /** Whether a live schema has this id. */
  async isSchemaPublished(schemaId: string): Promise<boolean> {
    return (await this.models.schemas.exists({ _id: schemaId, live: true })) !== null;
  }
}

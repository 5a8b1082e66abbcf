// The terms of a credential, for the screen on which a holder accepts it. Available even if the catalog is closed.
import type { HolderCaller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import type { Holders } from '../holders/holders.service.js';
import type { CredentialTerms } from './terms-types.js';

export interface TermsParts {
  catalog: IssuingCatalog;
  holders: Holders;
}

/** Reads the terms of credentials for holders. */
export class TermsReader {
  constructor(private readonly parts: TermsParts) {}

  /** The terms of a live credential. @throws DomainError NOT_FOUND. */
  async terms({ holderId, partnerId = '' }: HolderCaller, credentialId: string): Promise<CredentialTerms> {
    const { catalog, holders } = this.parts;
    const credential = await catalog.credential(credentialId);
    if (credential === null)
      throw new DomainError('NOT_FOUND', 'No credential has this credentialId.', { field: 'credentialId' });
    const { name, issuerId, schemaId, schemaVersion, cak = false } = credential;
    const [issuer, version, consent] = await Promise.all([
      catalog.issuer(issuerId),
      catalog.schemaVersion(schemaId, schemaVersion),
      holders.consentOf(holderId, partnerId),
    ]);
    const dataPoints = (version?.dataPoints ?? []).map(({ name, title, type, isRequired, description }) => ({
      ...{ name, title, type, isRequired, description },
    }));
    return {
      ...{ credentialId, name, issuerId, schemaId, dataPoints, cak },
      issuerDid: issuer?.issuerDid ?? '',
      issuerName: issuer?.name ?? issuerId,
      issuing: issuingOf(issuer),
      consent: consent ?? null,
    };
  }
}

function issuingOf(issuer: IssuerRow | null): CredentialTerms['issuing'] {
  if (issuer?.managed) return 'managed';
  return issuer?.issueVcUrl ? 'hosted' : 'none';
}

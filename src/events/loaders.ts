// Loaders of the objects that events refer to, other than those of the catalog. Every event gets new ones, like every request.
import DataLoader from 'dataloader';
import type { IssuanceList } from '../issuance/list.service.js';
import type { StatusService } from '../issuance/status.service.js';
import type { CredentialStatus, Issuance } from '../issuance/types.js';

/** Loaders of the objects that events name. */
export class EventLoaders {
  private issuanceLoader: DataLoader<string, Issuance | null> | undefined;
  private statusLoader: DataLoader<string, CredentialStatus | null> | undefined;

  constructor(private readonly services: { issuances: IssuanceList; status: StatusService }) {}

  /** Issuances by coreClaimHash; only for events whose viewers may also see the issuance. */
  get issuances(): DataLoader<string, Issuance | null> {
    this.issuanceLoader ??= new DataLoader((hashes) => this.services.issuances.byHashes(hashes));
    return this.issuanceLoader;
  }

  /** Public statuses by coreClaimHash. */
  get statuses(): DataLoader<string, CredentialStatus | null> {
    this.statusLoader ??= new DataLoader((hashes) => this.services.status.findAll(hashes));
    return this.statusLoader;
  }
}

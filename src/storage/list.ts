// A partner's own packages (contract §4.4): newest first, by cursor, by holder, schema and the partner's own ids; never the ciphertext.
import type { PartnerCaller } from '../base/callers/caller.js';
import { badInput } from '../base/errors.js';
import { newestFirst } from '../graphql/shapes/newest-first.js';
import type { PageOf } from '../graphql/shapes/relay.js';
import type { StorageModels, StoredCredentialRow } from './models.js';
import { type StoredMetadata, storedForPartner } from './views.js';

/** A filter of packages: each field must have one of its values. */
export interface PackageFilter {
  holderDid?: readonly string[];
  schemaId?: readonly string[];
  externalId?: readonly string[];
}

/** A page request. */
export interface PackagePage {
  filter: PackageFilter;
  after?: string;
  limit: number;
}

const MAX_VALUES = 100;
const WITHOUT_CIPHERTEXT = { data: 0, iv: 0, authTag: 0, encryptedKey: 0 } as const;

/** Lists a partner's stored packages. */
export class StoredPackages {
  constructor(private readonly models: StorageModels) {}

  /** A page of the partner's own packages, one command; the total is one more. @throws DomainError BAD_USER_INPUT (`after`, filter). */
  async page({ partnerId }: PartnerCaller, { filter, after, limit }: PackagePage): Promise<PageOf<StoredMetadata>> {
    return newestFirst({
      model: this.models.storedCredentials,
      filter: { partnerId, ...checkedFilter(filter) },
      projection: WITHOUT_CIPHERTEXT,
      limit,
      after,
      show: (rows: StoredCredentialRow[]) => rows.map(storedForPartner),
    });
  }
}

function checkedFilter(filter: PackageFilter): Record<string, unknown> {
  const entries = Object.entries(filter).filter(([, values]) => values !== undefined);
  return Object.fromEntries(
    entries.map(([field, values]: [string, readonly string[]]) => {
      if (values.length > MAX_VALUES)
        throw badInput(`"where.${field}" takes at most ${MAX_VALUES} values.`, `where.${field}`);
      return [field, values.length === 1 ? values[0] : { $in: values }];
    }),
  );
}

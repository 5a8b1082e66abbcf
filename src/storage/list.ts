// A partner's own packages (contract §4.4): newest first, by cursor, by holder, schema and the partner's own ids; never the ciphertext.
import type { PartnerCaller } from '../base/callers/caller.js';
import { acceptedTexts } from '../graphql/shapes/given-operators.js';
import { newestFirst } from '../graphql/shapes/newest-first.js';
import type { PageOf } from '../graphql/shapes/relay.js';
import type { PageInput } from '../http/routes/operation.js';
import type { StoredPackageWhere } from './inputs.js';
import type { StorageModels, StoredCredentialRow } from './models.js';
import { type StoredPackage, storedPackageOf } from './types.js';

interface PackagePage extends PageInput {
  where?: StoredPackageWhere | undefined;
}

const WITHOUT_CIPHERTEXT = { data: 0, iv: 0, authTag: 0, encryptedKey: 0 } as const;

/** Lists a partner's stored packages. */
export class StoredPackages {
  constructor(private readonly models: StorageModels) {}

  /** A page of the partner's own packages, one command; the total is one more. @throws DomainError BAD_USER_INPUT (`after`, filter). */
  async page({ partnerId }: PartnerCaller, { where = {}, after, limit }: PackagePage): Promise<PageOf<StoredPackage>> {
    return newestFirst({
      model: this.models.storedCredentials,
      filter: { partnerId, ...rowFilter(where) },
      projection: WITHOUT_CIPHERTEXT,
      limit,
      after,
      show: (rows: StoredCredentialRow[]) => rows.map(storedPackageOf),
    });
  }
}

/** The filter over rows; a field that is missing may have any value. @throws DomainError BAD_USER_INPUT. */
function rowFilter(where: StoredPackageWhere): Record<string, unknown> {
  const fields = Object.entries(where).filter(([, filter]) => filter !== undefined);
  return Object.fromEntries(fields.map(([field, filter]) => [field, oneOf(acceptedTexts(`where.${field}`, filter))]));
}

const oneOf = (values: readonly string[]): unknown => (values.length === 1 ? values[0] : { $in: values });

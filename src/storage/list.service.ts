// A partner's own packages (contract §4.4): newest first, by cursor, by holder, schema and the partner's own ids; never the ciphertext.
import type { PartnerCaller } from '../base/caller.js';
import { badInput } from '../base/errors.js';
import type { PageOf } from '../graphql/shapes/relay.js';
import { cursorOf, olderThan, placeOf } from '../store/cursor.js';
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

/** How many entries are counted at most. */
const COUNT_BOUND = 10_000;
const MAX_VALUES = 100;
const WITHOUT_CIPHERTEXT = { data: 0, iv: 0, authTag: 0, encryptedKey: 0 } as const;

/** Lists a partner's stored packages. */
export class StoredPackages {
  constructor(private readonly models: StorageModels) {}

  /** A page of the partner's own packages, one command; the total is one more. @throws DomainError BAD_USER_INPUT (`after`, filter). */
  async page({ partnerId }: PartnerCaller, { filter, after, limit }: PackagePage): Promise<PageOf<StoredMetadata>> {
    const { storedCredentials } = this.models;
    const conditions = { partnerId, ...conditionsOf(filter) };
    const place = after === undefined ? undefined : placeOf(after);
    const rows = await storedCredentials
      .find({ ...conditions, ...(place === undefined ? {} : olderThan(place)) }, WITHOUT_CIPHERTEXT)
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean<StoredCredentialRow[]>();
    const edges = rows.slice(0, limit).map((row) => ({ node: storedForPartner(row), cursor: cursorOf(row) }));
    return {
      nodes: edges.map(({ node }) => node),
      edges,
      pageInfo: {
        hasNextPage: rows.length > limit,
        hasPreviousPage: place !== undefined,
        startCursor: edges.at(0)?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
      total: async () => {
        const count = await storedCredentials.countDocuments(conditions, { limit: COUNT_BOUND });
        return { count, exact: count < COUNT_BOUND };
      },
    };
  }
}

function conditionsOf(filter: PackageFilter): Record<string, unknown> {
  const entries = Object.entries(filter).filter(([, values]) => values !== undefined);
  return Object.fromEntries(
    entries.map(([field, values]: [string, readonly string[]]) => {
      if (values.length > MAX_VALUES)
        throw badInput(`"where.${field}" takes at most ${MAX_VALUES} values.`, `where.${field}`);
      return [field, values.length === 1 ? values[0] : { $in: values }];
    }),
  );
}

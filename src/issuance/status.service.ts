// The public status of an issuance by its hash or nonce (contract §5), and the operator's history (§7).
import { badInput } from '../base/errors.js';
import type { Anchors } from '../chain/anchors.service.js';
import { anchorPlaces } from './anchoring.js';
import type { IssuanceModels, IssuanceRow } from './models.js';
import { type CredentialStatus, issuanceRecordOf, statusOf } from './types.js';
import { unknownIssuance } from './unknown-issuance.js';

export interface HistoryQuery {
  page: number;
  limit: number;
  /** `<column>_asc` or `<column>_desc`. */
  order: string;
  holderDid?: string;
  schemaId?: string;
  revocationNonce?: string;
}

type Sort = Readonly<Record<string, 1 | -1>>;

/** Each column's ascending order. An index of the collection serves both directions. */
const ORDERS: Readonly<Record<string, Sort>> = {
  id: { createdAt: 1, _id: 1 },
  holderDid: { holderDid: 1, createdAt: 1, _id: 1 },
  schemaId: { schemaId: 1, createdAt: 1, _id: 1 },
  revocationNonce: { revocationNonce: 1 },
  createdAt: { createdAt: 1, _id: 1 },
  expiresAt: { expiresAt: 1, _id: 1 },
  revokedAt: { revokedAt: 1, _id: 1 },
  // BATCH, DIRECT, ON_BEHALF: only rows of batches have a job, and rows with `direct` sort before those without.
  type: { jobId: -1, direct: -1, createdAt: -1, _id: -1 },
};
/** Values of `order`. */
export const HISTORY_ORDERS = Object.keys(ORDERS).flatMap((column) => [`${column}_asc`, `${column}_desc`]);

const COUNT_BOUND = 10_000;

/** The status of issuances, for anyone, and their history for the operator. */
export class StatusService {
  constructor(
    private readonly models: IssuanceModels,
    private readonly anchors: Pick<Anchors, 'find'>,
    private readonly clock: () => number,
  ) {}

  /** The status of an issuance. @throws DomainError NOT_FOUND. */
  async byHash(coreClaimHash: string): Promise<CredentialStatus> {
    const status = await this.find(coreClaimHash);
    if (!status) throw unknownIssuance('coreClaimHash');
    return status;
  }

  /** The status of an issuance, or null. */
  async find(coreClaimHash: string): Promise<CredentialStatus | null> {
    const [status] = await this.findAll([coreClaimHash]);
    return status ?? null;
  }

  /** Statuses in the order of these hashes, null for unknown hashes. Two commands; one if none has an anchor. */
  async findAll(hashes: readonly string[]): Promise<(CredentialStatus | null)[]> {
    const rows = await this.models.issuances.find({ coreClaimHash: { $in: hashes } }).lean<IssuanceRow[]>();
    const places = rows.flatMap((row) => Object.values(anchorPlaces(row)));
    const anchorAt = await this.anchors.find(places.filter((place) => place !== undefined));
    const now = new Date(this.clock());
    const statuses = rows.map((row) => {
      const { anchor, removal } = anchorPlaces(row);
      const anchors = {
        anchor: row.anchor ?? (anchor && anchorAt(anchor)) ?? null,
        removal: row.removal ?? (removal && anchorAt(removal)) ?? null,
      };
      return [row.coreClaimHash, statusOf(row, anchors, now)] as const;
    });
    const byHash = new Map(statuses);
    return hashes.map((hash) => byHash.get(hash) ?? null);
  }

  /** Whether the issuance with this nonce is revoked. @throws DomainError NOT_FOUND. */
  async isRevoked(revocationNonce: string): Promise<boolean> {
    const row = await this.models.issuances.findOne({ revocationNonce }, { revokedAt: 1 }).lean<IssuanceRow>();
    if (!row) throw unknownIssuance('nonce');
    return row.revokedAt !== null;
  }

  /** The operator's history, page by page. @throws DomainError BAD_USER_INPUT beyond the reach of pages. */
  async history({ page, limit, order, ...filters }: HistoryQuery) {
    if (page * limit > COUNT_BOUND)
      throw badInput(
        `page × limit reaches beyond ${COUNT_BOUND} entries; use the cursors of GraphQL (first, after).`,
        'page',
      );
    const filter = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
    const { issuances } = this.models;
    const [rows, total] = await Promise.all([
      issuances
        .find(filter)
        .sort(sortOf(order))
        .skip((page - 1) * limit)
        .limit(limit)
        .lean<IssuanceRow[]>(),
      Object.keys(filter).length === 0
        ? issuances.estimatedDocumentCount()
        : issuances.countDocuments(filter, { limit: COUNT_BOUND }),
    ]);
    return { data: rows.map(issuanceRecordOf), pagination: { page, limit, total } };
  }
}

function sortOf(order: string): Record<string, 1 | -1> {
  const [column = '', direction] = order.split('_');
  const sort = Object.entries(ORDERS[column] ?? {});
  return Object.fromEntries(sort.map(([field, sign]) => [field, direction === 'desc' ? (-sign as 1 | -1) : sign]));
}

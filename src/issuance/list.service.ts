// The list of issuances, newest first, by cursor: partners and holders get their own, the operator all.
import type { Caller } from '../base/caller.js';
import { badInput, DomainError } from '../base/errors.js';
import type { PageOf } from '../graphql/shapes/relay.js';
import type { IssuanceModels, IssuanceRow } from './models.js';
import { vcStatusOf } from './status.service.js';

const MAX_PAGE = 100;
const DEFAULT_PAGE = 10;
const COUNT_BOUND = 10_000;

/** An issuance for its partner, its holder and the operator. */
export type IssuanceView = Pick<
  IssuanceRow,
  | 'coreClaimHash'
  | 'credentialId'
  | 'schemaId'
  | 'issuerDid'
  | 'holderDid'
  | 'revocationNonce'
  | 'createdAt'
  | 'expiresAt'
  | 'revokedAt'
> & { id: string; vcStatus: string };

const cursorOf = ({ createdAt, _id }: IssuanceRow): string =>
  Buffer.from(JSON.stringify([createdAt.getTime(), _id])).toString('base64url');

function placeOf(cursor: string): { createdAt: Date; id: string } {
  try {
    const [time, id]: unknown[] = JSON.parse(Buffer.from(cursor.slice(0, 200), 'base64url').toString());
    const createdAt = new Date(Number(time));
    if (typeof time === 'number' && typeof id === 'string' && !Number.isNaN(createdAt.getTime()))
      return { createdAt, id };
  } catch {
    // Reported below, like every invalid cursor.
  }
  throw badInput('"after" is not a cursor of this list; use an "endCursor" that it gave.', 'after');
}

function ownFilter(caller: Caller): Partial<Pick<IssuanceRow, 'partnerId' | 'holderId'>> {
  if (caller.kind === 'operator') return {};
  if (caller.kind === 'partner') return { partnerId: caller.partnerId };
  if (caller.kind === 'holder') return { holderId: caller.holderId };
  throw new DomainError('UNAUTHENTICATED', 'This needs a partner token, a session token or the operator key.');
}

/** Lists of issuances that a caller may see. */
export class IssuanceList {
  constructor(
    private readonly models: IssuanceModels,
    private readonly clock: () => number,
  ) {}

  /** Issuances by their hashes, in this order, null for an unknown one. The caller must be allowed to see them. One command. */
  async byHashes(hashes: readonly string[]): Promise<(IssuanceView | null)[]> {
    const rows = await this.models.issuances.find({ coreClaimHash: { $in: hashes } }).lean<IssuanceRow[]>();
    const now = new Date(this.clock());
    const views = new Map(rows.map((row) => [row.coreClaimHash, viewOf(row, now)]));
    return hashes.map((hash) => views.get(hash) ?? null);
  }

  /** A page of the caller's own issuances. @throws DomainError UNAUTHENTICATED, BAD_USER_INPUT (`first`, `after`). */
  async page(
    caller: Caller,
    { first, after }: { first?: number | null; after?: string | null },
  ): Promise<PageOf<IssuanceView>> {
    const limit = first ?? DEFAULT_PAGE;
    if (limit < 1 || limit > MAX_PAGE)
      throw badInput(`"first" must be a whole number from 1 to ${MAX_PAGE}; ${limit} is not.`, 'first');
    const own = ownFilter(caller);
    const place = after ? placeOf(after) : undefined;
    const older = place && {
      createdAt: { $lte: place.createdAt },
      $or: [{ createdAt: { $lt: place.createdAt } }, { createdAt: place.createdAt, _id: { $lt: place.id } }],
    };
    const { issuances } = this.models;
    const issuanceRows = await issuances
      .find({ ...own, ...older })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean<IssuanceRow[]>();
    const rows = issuanceRows.slice(0, limit);
    const now = new Date(this.clock());
    const edges = rows.map((row) => ({ node: viewOf(row, now), cursor: cursorOf(row) }));
    return {
      nodes: edges.map(({ node }) => node),
      edges,
      pageInfo: {
        hasNextPage: issuanceRows.length > limit,
        hasPreviousPage: place !== undefined,
        startCursor: edges.at(0)?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
      total: async () => {
        const count = await issuances.countDocuments(own, { limit: COUNT_BOUND });
        return { count, exact: count < COUNT_BOUND };
      },
    };
  }
}

function viewOf(row: IssuanceRow, now: Date): IssuanceView {
  const {
    _id: id,
    coreClaimHash,
    credentialId,
    schemaId,
    issuerDid,
    holderDid,
    revocationNonce,
    createdAt,
    expiresAt,
    revokedAt,
  } = row;
  const vcStatus = vcStatusOf(row, now);
  return {
    id,
    coreClaimHash,
    credentialId,
    schemaId,
    issuerDid,
    holderDid,
    revocationNonce,
    createdAt,
    expiresAt,
    revokedAt,
    vcStatus,
  };
}

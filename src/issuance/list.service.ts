// The list of issuances, newest first, by cursor. Partners and holders see their own, the operator sees all.
import type { Caller } from '../base/callers/caller.js';
import { ownsNothing } from '../base/callers/rights.js';
import { newestFirst } from '../graphql/shapes/newest-first.js';
import type { PageOf } from '../graphql/shapes/relay.js';
import type { PageInput } from '../http/routes/operation.js';
import { type IssuanceWhere, whereFilter } from './list-filter.js';
import type { IssuanceModels, IssuanceRow } from './models.js';
import { type Issuance, issuanceOf } from './types.js';

function ownFilter(caller: Caller): Partial<Pick<IssuanceRow, 'partnerId' | 'holderId'>> {
  if (caller.kind === 'operator') return {};
  if (caller.kind === 'partner') return { partnerId: caller.partnerId };
  if (caller.kind === 'holder') return { holderId: caller.holderId };
  throw ownsNothing(caller, 'a partner token, a session token or the operator key');
}

/** Lists of issuances that a caller may see. */
export class IssuanceList {
  constructor(
    private readonly models: IssuanceModels,
    private readonly clock: () => number,
  ) {}

  /**
   * Issuances by their hashes, in this order, null for unknown hashes. The caller must be allowed to see them. One
   * command.
   */
  async byHashes(hashes: readonly string[]): Promise<(Issuance | null)[]> {
    const rows = await this.models.issuances.find({ coreClaimHash: { $in: hashes } }).lean<IssuanceRow[]>();
    const now = new Date(this.clock());
    const views = new Map(rows.map((row) => [row.coreClaimHash, issuanceOf(row, now)]));
    return hashes.map((hash) => views.get(hash) ?? null);
  }

  /** Issuances by their ids, in this order. The caller must be allowed to see them. One command. */
  async byIds(ids: readonly string[]): Promise<Issuance[]> {
    const rows = await this.models.issuances.find({ _id: { $in: ids } }).lean<IssuanceRow[]>();
    const now = new Date(this.clock());
    const views = new Map(rows.map((row) => [row._id, issuanceOf(row, now)]));
    return ids.flatMap((id) => views.get(id) ?? []);
  }

  /** A page of the caller's own issuances. @throws DomainError UNAUTHENTICATED, FORBIDDEN, BAD_USER_INPUT (`after`, `where`). */
  async page(
    caller: Caller,
    { limit, after, where }: PageInput & { where?: IssuanceWhere | undefined },
  ): Promise<PageOf<Issuance>> {
    const now = new Date(this.clock());
    return newestFirst({
      model: this.models.issuances,
      // In `$and`, because the cursor's bound is on the same field as the window.
      filter: { $and: [ownFilter(caller), ...(where ? whereFilter(where, caller, now) : [])] },
      limit,
      after,
      show: (rows: IssuanceRow[]) => rows.map((row) => issuanceOf(row, now)),
    });
  }
}

// Claims for verification: a holder's claims with their status, and claims by their hashes.
import type { ClientSession } from 'mongoose';
import type { CredentialRow } from '../catalog/rows/models.js';
import type { InstanceRow, IssuanceModels, IssuanceRow } from './models.js';
import { type VcStatus, vcStatusOf } from './types.js';

/** The part of a claim that verification uses. */
export type Holding = Pick<
  IssuanceRow,
  'coreClaimHash' | 'credentialId' | 'issuerId' | 'schemaId' | 'schemaVersion' | 'holderId' | 'storedId'
> & { vcStatus: VcStatus };

/** Claims by holder or hash. */
export class Holdings {
  constructor(
    private readonly models: IssuanceModels,
    private readonly clock: () => number,
  ) {}

  /** A holder's claims of these credentials, live ones first, then the newest. One command. */
  async ofHolder(holderId: string, credentialIds: readonly string[], limit: number): Promise<Holding[]> {
    const rows = await this.models.issuances
      .find({ credentialId: { $in: credentialIds }, holderId })
      .sort({ live: -1, createdAt: -1, _id: 1 })
      .limit(limit)
      .lean<IssuanceRow[]>();
    return rows.map((row) => this.#holdingOf(row));
  }

  /** Ids of the credentials whose maximum of issuances is reached. */
  async spent(credentials: readonly Pick<CredentialRow, '_id' | 'maximumIssuance'>[]): Promise<Set<string>> {
    const { quotas, issuances } = this.models;
    const limited = credentials.filter(({ maximumIssuance }) => maximumIssuance !== null);
    if (limited.length === 0) return new Set();
    const rows = await quotas.find({ _id: { $in: limited.map(({ _id }) => _id) } }).lean();
    const issued = new Map(rows.map((row) => [row._id, row.issued]));
    const spent = new Set<string>();
    for (const { _id, maximumIssuance } of limited) {
      const limit = maximumIssuance ?? 0;
      // If the limit was set after the first issuances, the row of counts does not exist until the next issuance. Until
      // then, issuances are counted here.
      const count = issued.get(_id) ?? (await issuances.countDocuments({ credentialId: _id }, { limit }));
      if (count >= limit) spent.add(_id);
    }
    return spent;
  }

  /** Claims by hash; unknown hashes are left out. One command. */
  async byHashes(hashes: readonly string[], session?: ClientSession): Promise<Map<string, Holding>> {
    if (hashes.length === 0) return new Map();
    const rows = await this.models.issuances
      .find({ coreClaimHash: { $in: hashes } }, null, { session })
      .lean<IssuanceRow[]>();
    return new Map(rows.map((row) => [row.coreClaimHash, this.#holdingOf(row)]));
  }

  /**
   * The claim of a copy in a wallet, by the copy's place in a token status list and the thumbprint of its key. One
   * command; the condition on the list alone lets a server use the index, which has only rows with copies.
   */
  async ofInstance({ list, index, key }: InstanceRow): Promise<Holding | undefined> {
    const filter = { 'instances.list': list, instances: { $elemMatch: { list, index } } };
    const row = await this.models.issuances.findOne(filter).lean<IssuanceRow>();
    const isOfKey = row?.instances?.some((each) => each.list === list && each.index === index && each.key === key);
    return row && isOfKey ? this.#holdingOf(row) : undefined;
  }

  #holdingOf(row: IssuanceRow): Holding {
    const { coreClaimHash, credentialId, issuerId, schemaId, schemaVersion, holderId, storedId } = row;
    // If another process, whose clock is ahead, has reported a claim as expired, it is expired here as well.
    const now = new Date(Math.max(this.clock(), row.expiredAt?.getTime() ?? 0));
    const vcStatus = vcStatusOf(row, now);
    return { coreClaimHash, credentialId, issuerId, schemaId, schemaVersion, holderId, storedId, vcStatus };
  }
}

// Reads verifications (contract §14, §16): a partner's own records, singly or in pages, and a holder's own result.
import type { Caller, PartnerCaller } from '../../base/callers/caller.js';
import { ownsNothing } from '../../base/callers/rights.js';
import { callerKeyOf } from '../../base/callers/seats.js';
import { newestFirst } from '../../graphql/shapes/newest-first.js';
import type { PageOf } from '../../graphql/shapes/relay.js';
import type { ProofRow, VerificationModels, VerificationRow } from './models.js';
import type { Nullifiers } from './nullifiers.js';
import { unknownVerification } from './own-verification.js';
import { recordOf, resultOf } from './record.js';
import type { Verification, VerificationOrResult, VerificationStatus } from '../forms/verification.js';
import type { VerificationWaits } from './waits.js';

export interface RecordOptions {
  models: VerificationModels;
  nullifiers: Nullifiers;
  waits: VerificationWaits;
  clock(): number;
}

/** The request for a page of records. */
export interface RecordPage {
  programId?: string;
  status?: VerificationStatus;
  after?: string;
  limit: number;
}

/** Reads verifications. */
export class VerificationRecords {
  constructor(private readonly options: RecordOptions) {}

  /**
   * A verification: the record for its partner and the operator, the result for its holder.
   * @param wait seconds to wait for the result of a Pending one
   * @throws DomainError UNAUTHENTICATED; NOT_FOUND, also for one of another caller
   */
  async read(caller: Caller, _id: string, wait: number): Promise<VerificationOrResult> {
    const mine = await this.#ownFilter(caller);
    const read = async (): Promise<VerificationRow> => {
      const row = await this.options.models.verifications.findOne({ _id, ...mine }).lean<VerificationRow>();
      if (row === null) throw unknownVerification();
      return row;
    };
    const who = { id: _id, caller: callerKeyOf(caller, ''), seconds: wait };
    const row = await this.options.waits.until(who, read, ({ status }) => status === 'Pending');
    const presentation = (await this.#presentations([row])).get(_id);
    if (caller.kind === 'holder') return { result: resultOf(row, presentation), reason: row.reason };
    return recordOf(row, presentation);
  }

  /** A page of the partner's own, newest first, two commands; the total is one more. @throws DomainError BAD_USER_INPUT (`after`). */
  async page({ partnerId }: PartnerCaller, request: RecordPage): Promise<PageOf<Verification>> {
    const { programId, status, after, limit } = request;
    return newestFirst({
      model: this.options.models.verifications,
      filter: { partnerId, ...(programId === undefined ? {} : { programId }), ...(status && { status }) },
      limit,
      after,
      show: async (rows: VerificationRow[]) => {
        const proofs = await this.#presentations(rows);
        return rows.map((row) => recordOf(row, proofs.get(row._id)));
      },
    });
  }

  async #ownFilter(caller: Caller): Promise<Partial<VerificationRow>> {
    if (caller.kind === 'operator') return {};
    if (caller.kind === 'partner') return { partnerId: caller.partnerId };
    if (caller.kind === 'holder') {
      const holderKey = await this.options.nullifiers.holderKey(caller.holderId);
      return { holderKey, ...(caller.partnerId === undefined ? {} : { partnerId: caller.partnerId }) };
    }
    throw ownsNothing(caller);
  }

  /** Stored proofs of Compliant verifications. Expired ones are left out, also if the database has not removed them yet. */
  async #presentations(rows: readonly VerificationRow[]): Promise<Map<string, string>> {
    const ids = rows.flatMap(({ _id, status }) => (status === 'Compliant' ? [_id] : []));
    if (ids.length === 0) return new Map();
    const unexpired = { _id: { $in: ids }, expireAt: { $gt: new Date(this.options.clock()) } };
    const proofs = await this.options.models.proofs.find(unexpired).lean<ProofRow[]>();
    return new Map(proofs.map(({ _id, presentation }) => [_id, presentation]));
  }
}

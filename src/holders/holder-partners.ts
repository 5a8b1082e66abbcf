// Links between holders and partners: the partner's own id for a holder, and the holder's consent (contract §5).
import type { ClientSession } from 'mongoose';
import { ANONYMOUS, type Caller } from '../base/callers/caller.js';
import { ON_DUPLICATE } from '../base/mongodb/duplicate-key.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { RecordWrites } from '../store/audit-port.js';
import { type JoinedReads, joinedRows } from '../store/joined-reads.js';
import type { HolderModels, HolderPartnerRow } from './models.js';
import type { Consent } from './types.js';

export interface HolderPartnersOptions {
  models: HolderModels;
  box: SealedBox;
  recordWrites: RecordWrites;
  clock(): number;
}

/** Reads and writes these links. */
export class HolderPartners {
  readonly #rows: JoinedReads<HolderPartnerRow>;

  constructor(private readonly options: HolderPartnersOptions) {
    this.#rows = joinedRows(options.models.holderPartners, '_id');
  }

  /** Stores the partner's own id for a holder. */
  async remember(
    holderId: string,
    partnerId: string,
    partnerUserId: string,
    caller: Caller = ANONYMOUS,
  ): Promise<void> {
    const { box, models, recordWrites } = this.options;
    const whose = `${holderId} ${partnerId}`;
    const sealedPartnerUserId = box.seal(partnerUserId, { what: 'partner-user-id', whose });
    const after = { partnerId };
    const entry = { operation: 'holder.name', subject: holderId, outcome: 'updated', after } as const;
    await ON_DUPLICATE.execute(() =>
      models.holderPartners.db.transaction(async (session) => {
        await this.#join(holderId, partnerId, { sealedPartnerUserId }, session);
        await recordWrites(caller, [entry], session);
      }),
    );
  }

  /** The partner's own id for a holder, or undefined. */
  async userIdOf(holderId: string, partnerId: string): Promise<string | undefined> {
    const row = await this.#link(holderId, partnerId);
    if (row?.sealedPartnerUserId === undefined) return undefined;
    return this.options.box.unsealText(row.sealedPartnerUserId, { what: 'partner-user-id', whose: row._id });
  }

  /** A holder's decision about a partner; undefined without one. */
  async consentOf(holderId: string, partnerId: string): Promise<Consent | undefined> {
    return (await this.#link(holderId, partnerId))?.consent;
  }

  /** Accepts or declines a partner. */
  async setConsent(holderId: string, partnerId: string, consent: Consent): Promise<void> {
    await ON_DUPLICATE.execute(() => this.#join(holderId, partnerId, { consent }));
  }

  async #link(holderId: string, partnerId: string): Promise<HolderPartnerRow | undefined> {
    const id = `${holderId} ${partnerId}`;
    return (await this.#rows.load([id])).get(id);
  }

  async #join(
    holderId: string,
    partnerId: string,
    fields: Partial<HolderPartnerRow>,
    session?: ClientSession,
  ): Promise<void> {
    const { models, clock } = this.options;
    const _id = `${holderId} ${partnerId}`;
    const change = { $set: { ...fields, updatedAt: new Date(clock()) }, $setOnInsert: { holderId, partnerId } };
    await models.holderPartners.updateOne({ _id }, change, { upsert: true, session });
  }
}

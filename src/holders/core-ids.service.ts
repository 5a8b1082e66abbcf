// Identity records of holders, as holders see them. With a chain they are minted on it (src/accounts); without one, the operator records the outcome.

import type { ClientSession, Connection } from 'mongoose';
import type { OperatorCaller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import type { Chain } from '../chain/chain.service.js';
import type { RecordWrites } from '../store/audit-port.js';
import type { AppendEvents, NewEvent } from '../store/event-port.js';
import type { CoreIdChange } from './inputs.js';
import type { HolderModels, HolderRow } from './models.js';
import { sessionEvent } from './session-events.js';
import type { CoreIdDetails } from './types.js';

export interface CoreIdsOptions {
  connection: Connection;
  models: HolderModels;
  chain: Pick<Chain, 'isConfigured'>;
  appendEvents: AppendEvents;
  recordWrites: RecordWrites;
  clock(): number;
}

/** The holder of a record, and the partner through which it was claimed. */
export interface CoreIdOf {
  holderId: string;
  partnerId: string;
}

/** Records the outcome of holders' identity records. */
export class CoreIds {
  constructor(private readonly options: CoreIdsOptions) {}

  /** Records the start of a claim, in the caller's transaction. */
  async minting(of: CoreIdOf, coreId: CoreIdDetails, session: ClientSession): Promise<void> {
    await this.#set(of, coreId, session);
    await this.options.appendEvents([sessionEvent('core_id_minting_started', of)], session);
  }

  /** Records that it is minted, in the caller's transaction. */
  async minted(of: CoreIdOf, coreId: CoreIdDetails, session: ClientSession): Promise<void> {
    await this.#set(of, coreId, session);
    await this.options.appendEvents([sessionEvent('core_id_minted', of, { ...coreId })], session);
  }

  /** Records that it could not be minted, in the caller's transaction. @param errorMessage a sentence for users. */
  async notMinted(of: CoreIdOf, id: string, errorMessage: string, session: ClientSession): Promise<void> {
    const { models, clock } = this.options;
    const change = { $unset: { coreId: 1 as const }, $set: { updatedAt: new Date(clock()) } };
    await models.holders.updateOne({ _id: of.holderId, 'coreId.id': id }, change, { session });
    await this.options.appendEvents([sessionEvent('core_id_minting_failed', of, { errorMessage })], session);
  }

  async #set({ holderId }: CoreIdOf, coreId: CoreIdDetails, session: ClientSession): Promise<void> {
    const { models, clock } = this.options;
    const change = { $set: { coreId, updatedAt: new Date(clock()) } };
    await models.holders.updateOne({ _id: holderId }, change, { session });
  }

  /** Records the change and notifies the holder. @throws DomainError CONFLICT (there is a chain), NOT_FOUND (`holderId`). */
  async record(
    caller: OperatorCaller,
    { holderId, coreId, errorMessage }: CoreIdChange,
  ): Promise<CoreIdDetails | null> {
    const { connection, models, chain, appendEvents, recordWrites, clock } = this.options;
    if (chain.isConfigured)
      throw new DomainError('CONFLICT', 'Core ids cannot be recorded by hand: they are minted on the chain.');
    const updatedAt = new Date(clock());
    const change = coreId ? { $set: { coreId, updatedAt } } : { $set: { updatedAt }, $unset: { coreId: 1 as const } };
    await connection.transaction(async (session) => {
      const before = await models.holders.findOneAndUpdate({ _id: holderId }, change, { session }).lean<HolderRow>();
      if (before === null) throw new DomainError('NOT_FOUND', 'No holder has this holderId.', { field: 'holderId' });
      await appendEvents(eventsOf(before, coreId, errorMessage), session);
      const states = { before: before.coreId, after: coreId };
      const entry = { operation: 'core-id.record', subject: holderId, outcome: 'updated', ...states } as const;
      await recordWrites(caller, [entry], session);
    });
    return coreId ?? null;
  }
}

/** Events of client SDKs report the start and a failure; a minted record is in `me`. */
function eventsOf(before: HolderRow, coreId: CoreIdChange['coreId'], errorMessage: string | undefined): NewEvent[] {
  const holder = { holderId: before._id };
  if (errorMessage !== undefined) return [sessionEvent('core_id_minting_failed', holder, { errorMessage })];
  const begins = coreId?.status === 'minting' && before.coreId?.status !== 'minting';
  return begins ? [sessionEvent('core_id_minting_started', holder)] : [];
}

// Identity records of holders. Minting them comes with the chain; until then the operator records what became of one.

import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { Caller } from '../base/caller.js';
import { DomainError } from '../base/errors.js';
import { requireOperator } from '../base/rights.js';
import type { AppendEvents, NewEvent } from '../store/event-port.js';
import type { HolderModels, HolderRow } from './models.js';
import { sessionEvent } from './session-events.js';

const text = (max: number) => z.string().min(1, 'must not be empty').max(max, `must be at most ${max} characters`);

/** A record as it is now, or why it could not be minted. */
export const coreIdBody = z
  .object({
    holderId: z.guid('must be a UUID'),
    coreId: z
      .object({
        id: text(255),
        name: text(255).optional(),
        node: text(255),
        status: z.enum(['minting', 'minted'], 'must be minting or minted'),
        chainId: z.int('must be a whole number').positive('must be more than 0'),
        imageUrl: z.url('must be an address').max(2_000, 'must be at most 2000 characters').optional(),
      })
      .optional(),
    errorMessage: text(500).optional(),
  })
  .refine(({ coreId, errorMessage }) => (coreId === undefined) !== (errorMessage === undefined), {
    path: ['coreId'],
    message: 'must be given, or errorMessage, and not both',
  });

export type CoreIdChange = z.output<typeof coreIdBody>;

export interface CoreIdsOptions {
  connection: Connection;
  models: HolderModels;
  appendEvents: AppendEvents;
  clock(): number;
}

/** Records what became of holders' identity records. */
export class CoreIds {
  constructor(private readonly options: CoreIdsOptions) {}

  /** Records the change and notifies the holder. @throws DomainError UNAUTHENTICATED, FORBIDDEN (operator only), NOT_FOUND (`holderId`). */
  async record(
    caller: Caller,
    { holderId, coreId, errorMessage }: CoreIdChange,
  ): Promise<CoreIdChange['coreId'] | null> {
    requireOperator(caller);
    const { connection, models, appendEvents, clock } = this.options;
    const updatedAt = new Date(clock());
    const change = coreId ? { $set: { coreId, updatedAt } } : { $set: { updatedAt }, $unset: { coreId: 1 as const } };
    await connection.transaction(async (session) => {
      const before = await models.holders.findOneAndUpdate({ _id: holderId }, change, { session }).lean<HolderRow>();
      if (before === null)
        throw new DomainError('NOT_FOUND', 'There is no holder with this holderId.', { field: 'holderId' });
      await appendEvents(eventsOf(before, coreId, errorMessage), session);
    });
    return coreId ?? null;
  }
}

/** The source's events report the start and a failure; `me` shows a minted record. */
function eventsOf(before: HolderRow, coreId: CoreIdChange['coreId'], errorMessage: string | undefined): NewEvent[] {
  const holder = { holderId: before._id };
  if (errorMessage !== undefined) return [sessionEvent('core_id_minting_failed', holder, { errorMessage })];
  const begins = coreId?.status === 'minting' && before.coreId?.status !== 'minting';
  return begins ? [sessionEvent('core_id_minting_started', holder)] : [];
}

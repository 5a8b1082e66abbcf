// Accounts and their holders (contract §21): the account of a key is the smart account that the factory contract
// derives from it. Without a chain, its address is the key's address.
import type { ClientSession, Connection } from 'mongoose';
import { DomainError } from '../base/errors.js';
import type { Worker } from '../base/concurrency/worker.js';
import { native } from '../base/mongodb/native.js';
import type { Chain, Hex } from '../chain/chain.service.js';
import type { RowUpdate } from '../store/row-updates.js';
import { type AccountRow, type HolderModels, type HolderRow, holderModels } from './models.js';

/** The account of a holder. */
export interface HolderAccount {
  address: string;
  /** The key that signs for it, or the account itself if a contract signs. */
  owner: string;
}

export interface HolderAccountsParts {
  connection: Connection;
  models: HolderModels;
  chain: Chain;
  clock(): number;
}

const PLACED_AT_ONCE = 100;

/** Accounts, and the holders that own them. */
export class HolderAccounts {
  constructor(private readonly parts: HolderAccountsParts) {}

  /** The account of a key, or of a contract that signs for itself. */
  async accountOf(owner: string, contract: string | undefined): Promise<HolderAccount & { waits: boolean }> {
    const { chain } = this.parts;
    if (contract !== undefined) return { owner, address: contract, waits: false };
    if (!chain.isConfigured) return { owner, address: owner, waits: true };
    return { owner, address: await chain.accountOf(owner as Hex), waits: false };
  }

  /**
   * Assigns an account to a holder, replacing an earlier one, in the caller's transaction. @throws DomainError CONFLICT
   * if it belongs to another holder.
   */
  async give(holderId: string, account: HolderAccount & { waits: boolean }, session: ClientSession): Promise<void> {
    const { models, clock } = this.parts;
    const { owner, address, waits } = account;
    const fresh = { holderId, address, createdAt: new Date(clock()), ...(waits ? { waits } : {}) };
    const options = { upsert: true, returnDocument: 'after', session } as const;
    const row = await models.accounts
      .findOneAndUpdate({ _id: owner }, { $setOnInsert: fresh }, options)
      .lean<AccountRow>();
    if (row?.holderId !== holderId)
      throw new DomainError('CONFLICT', 'This account belongs to another holder.', { field: 'challengeId' });
    if (row.address !== address) await models.accounts.updateOne({ _id: owner }, placedAt(address), { session });
    await models.accounts.deleteMany({ holderId, _id: { $ne: owner } }, { session });
    const change = { $set: { abstractAccountAddress: address, accountOwner: owner, updatedAt: new Date(clock()) } };
    await models.holders.updateOne({ _id: holderId }, change, { session });
  }

  /** The row of an account, by its address or its owner's address. */
  async holderOf(address: string): Promise<AccountRow | undefined> {
    const { accounts } = this.parts.models;
    const row = (await accounts.findOne({ address }).lean<AccountRow>()) ?? (await accounts.findById(address).lean());
    return (row as AccountRow | null) ?? undefined;
  }

  /** Sets the chain addresses of accounts that were registered without a chain. */
  async place(signal: AbortSignal): Promise<void> {
    const { models, chain } = this.parts;
    while (chain.isConfigured && !signal.aborted) {
      const rows = await models.accounts.find({ waits: true }).limit(PLACED_AT_ONCE).lean<AccountRow[]>();
      if (rows.length === 0) return;
      for (const { _id } of rows) await this.#placeOne(_id, await chain.accountOf(_id as Hex));
    }
  }

  /** A worker that does this once, at the start of the process. */
  worker(onError: (error: unknown) => void): Worker {
    const stopping = new AbortController();
    let placing: Promise<void> = Promise.resolve();
    return {
      start: () => {
        placing = this.place(stopping.signal).catch(onError);
      },
      stop: async () => {
        stopping.abort();
        await placing;
      },
    };
  }

  async #placeOne(_id: string, address: string): Promise<void> {
    const { connection, models, clock } = this.parts;
    await connection.transaction(async (session) => {
      const { modifiedCount } = await models.accounts.updateOne({ _id, waits: true }, placedAt(address), { session });
      if (modifiedCount === 0) return;
      const change = { $set: { abstractAccountAddress: address, updatedAt: new Date(clock()) } };
      await models.holders.updateMany({ accountOwner: _id }, change, { session });
    });
  }
}

/** The update that sets an account's address on the chain. */
const placedAt = (address: string) => ({ $set: { address }, $unset: { waits: 1 as const } });

/** The account of a holder's row. */
export function accountIn({ abstractAccountAddress: address, accountOwner }: HolderRow): HolderAccount | undefined {
  return address === undefined ? undefined : { address, owner: accountOwner ?? address };
}

const MARKED_AT_ONCE = 500;

/**
 * Updates rows of earlier versions, in which the account was the key's address. If several holders share an account,
 * the oldest keeps it.
 */
export const ACCOUNTS_OF_KEYS: RowUpdate = { done: 'holders have owners of accounts', update: markAccounts };

async function markAccounts(connection: Connection): Promise<void> {
  const { holders } = holderModels(connection);
  const unmarked = { abstractAccountAddress: { $exists: true }, accountOwner: { $exists: false } };
  const fields = { abstractAccountAddress: 1, createdAt: 1 } as const;
  const cursor = holders.find(unmarked, fields).sort({ createdAt: 1, _id: 1 }).lean<UnmarkedRow[]>();
  let rows: UnmarkedRow[] = [];
  for await (const row of cursor.cursor({ batchSize: MARKED_AT_ONCE })) {
    rows.push(row as UnmarkedRow);
    if (rows.length < MARKED_AT_ONCE) continue;
    await mark(connection, rows);
    rows = [];
  }
  await mark(connection, rows);
}

type UnmarkedRow = Pick<HolderRow, '_id' | 'abstractAccountAddress' | 'createdAt'>;

async function mark(connection: Connection, rows: readonly UnmarkedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { holders, accounts } = holderModels(connection);
  const inserts = rows.map(({ _id: holderId, abstractAccountAddress: address = '', createdAt }) => {
    const row = { holderId, address, waits: true, createdAt };
    return { updateOne: { filter: { _id: address }, update: { $setOnInsert: row }, upsert: true } };
  });
  // Ordered, so that the oldest of the holders that share an account is inserted.
  await accounts.bulkWrite(inserts, { ordered: true });
  const ids = rows.map(({ _id }) => _id);
  const owners = [{ $set: { accountOwner: '$abstractAccountAddress' } }];
  await native(holders).updateMany({ _id: { $in: ids } }, owners);
}

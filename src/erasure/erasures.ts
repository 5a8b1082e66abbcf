// Erases holders: the holder's record is deleted at once, with an audit entry; an elected process deletes the rest (docs/operation.md).
import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { OperatorCaller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import { MAJORITY } from '../base/mongodb/majority.js';
import { native } from '../base/mongodb/native.js';
import { addressesOf, endEvent, endHolder } from '../holders/forget.service.js';
import { type HolderRow, type Holders, sameEmail } from '../holders/holders.service.js';
import type { HolderName } from '../holders/types.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { RecordWrites } from '../store/audit-port.js';
import type { Erasers } from '../store/erasure-port.js';
import type { AppendEvents } from '../store/event-port.js';
import type { ErasureModels, ErasureRow } from './models.js';
import { type Erasure, erasureView } from './types.js';

export interface ErasureParts {
  connection: Connection;
  models: ErasureModels;
  holders: Holders;
  erasers: Erasers;
  box: SealedBox;
  appendEvents: AppendEvents;
  recordWrites: RecordWrites;
  clock(): number;
}

/** Begins and shows erasures. */
export class Erasures {
  constructor(private readonly parts: ErasureParts) {}

  /**
   * Erases a holder: its record and its sessions at once, the rest in the background. If a holder of this name is already
   * being erased, and none has it now, returns that erasure.
   * @throws DomainError BAD_USER_INPUT (not exactly one name), NOT_FOUND, CONFLICT (it has chain jobs in progress).
   */
  async begin(caller: OperatorCaller, name: HolderName): Promise<Erasure> {
    const holder = await this.parts.holders.byName(name);
    if (holder === undefined) return this.#begun(name);
    for (const eraser of this.parts.erasers.all) {
      const sentence = await eraser.obstacle?.({ holderId: holder._id });
      if (sentence !== undefined) throw new DomainError('CONFLICT', sentence);
    }
    const row = await this.#rowOf(holder, caller.keyName);
    const isGone = await this.#write(caller, holder, row);
    return isGone ? this.#begun({ userId: holder._id }) : erasureView(row);
  }

  /** An erasure. @throws DomainError NOT_FOUND. */
  async find(erasureId: string): Promise<Erasure> {
    const row = await this.parts.models.erasures.findById(erasureId).lean<ErasureRow>();
    if (row === null) throw new DomainError('NOT_FOUND', 'No erasure has this erasureId.');
    return erasureView(row);
  }

  /** The newest erasure in progress of a holder with this name: the response to the request that began it may have been lost. */
  async #begun({ userId, did, email }: HolderName): Promise<Erasure> {
    const open = this.parts.models.erasures.find({ state: { $in: ['erasing', 'settling'] } });
    for (const row of await open.sort({ createdAt: -1 }).lean<ErasureRow[]>())
      if (row.holderId === userId || row.did === did || (email !== undefined && sameEmail(this.#emailOf(row), email)))
        return erasureView(row);
    throw new DomainError('NOT_FOUND', 'No holder has this address, userId or DID, or it was erased.');
  }

  #emailOf({ _id, sealedEmail = '' }: ErasureRow): string {
    return this.parts.box.unsealText(sealedEmail, { what: 'holder-email', whose: _id });
  }

  async #rowOf(holder: HolderRow, keyName: string): Promise<ErasureRow> {
    const { connection, box, holders, clock } = this.parts;
    const _id = randomUUID();
    const { _id: holderId, did } = holder;
    const sealedEmail = box.seal(holders.emailOf(holder), { what: 'holder-email', whose: _id });
    const addresses = await addressesOf(connection, holder);
    const at = { state: 'erasing' as const, createdAt: new Date(clock()) };
    return { _id, ...at, keyName, holderId, did, sealedEmail, addresses };
  }

  /** Returns whether another request has erased the holder meanwhile. */
  #write(caller: OperatorCaller, { _id }: HolderRow, row: ErasureRow): Promise<boolean> {
    const { connection, models, appendEvents, recordWrites } = this.parts;
    return connection.transaction(async (session) => {
      if (!(await endHolder(connection, _id, session))) return true;
      await native(models.erasures).insertOne(row, { session });
      await appendEvents([endEvent(_id)], session);
      const entry = { operation: 'holder.erase', subject: row._id, outcome: 'deleted' } as const;
      await recordWrites(caller, [entry], session);
      return false;
    }, MAJORITY);
  }
}

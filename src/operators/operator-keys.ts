// Named operator keys with roles: created, rotated, withdrawn, and found for a request's header.
import { createHash, randomBytes } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import type { OperatorCaller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import { CACHED_READ } from '../base/mongodb/cached-read.js';
import { isDuplicateKey } from '../base/mongodb/duplicate-key.js';
import { native } from '../base/mongodb/native.js';
import type { RecordWrites } from '../store/audit-port.js';
import type { OperatorKeyRow, OperatorModels } from './models.js';
import {
  type NewOperatorKey,
  type OperatorKey,
  type OperatorKeyName,
  type OperatorKeyWithText,
  operatorKeyView,
} from './types.js';

const KEY_BYTES = 32;
const MAX_KEYS = 200;
/** How long the previous key works after a rotation, milliseconds. */
const PREVIOUS_KEY_MS = 24 * 3_600_000;
/** How long keys are cached when no change is reported, milliseconds. */
const STALE_MS = 2_000;

export interface OperatorKeysOptions {
  models: OperatorModels;
  recordWrites: RecordWrites;
  clock(): number;
}

/** The operator keys of this installation, in addition to the configured one. */
export class OperatorKeys {
  #rows: { read: Promise<OperatorKeyRow[]>; at: number } | undefined;

  constructor(private readonly options: OperatorKeysOptions) {}

  /** The operator whose key this is; undefined if it is unknown or withdrawn. */
  async find(key: string): Promise<OperatorCaller | undefined> {
    const hash = hashOf(key);
    const now = this.options.clock();
    const row = (await this.#live()).find(
      (one) =>
        one.hash === hash ||
        (one.previousHash === hash && one.previousUntil !== undefined && one.previousUntil.getTime() > now),
    );
    return row && { kind: 'operator', keyName: row._id, role: row.role };
  }

  /** Empties the cache, because keys have changed. */
  invalidate(): void {
    this.#rows = undefined;
  }

  /** All keys by name, including withdrawn ones. */
  async list(): Promise<OperatorKey[]> {
    return (await this.#all()).map(operatorKeyView);
  }

  /** Creates a key. @throws DomainError CONFLICT for a name that was used before. */
  async create(caller: OperatorCaller, { name, role }: NewOperatorKey): Promise<OperatorKeyWithText> {
    if ((await this.#all()).length >= MAX_KEYS)
      throw new DomainError('CONFLICT', `There are at most ${MAX_KEYS} keys.`);
    const key = newKey();
    const row: OperatorKeyRow = { _id: name, role, hash: hashOf(key), createdAt: this.#now() };
    try {
      await this.#write(caller, 'operator-key.create', null, row, async (keys, session) => {
        await native(keys).insertOne(row, { session });
      });
    } catch (error) {
      if (isDuplicateKey(error))
        throw new DomainError('CONFLICT', `The name ${name} was used before.`, { field: 'name' });
      throw error;
    }
    return { ...operatorKeyView(row), key };
  }

  /** Creates a new key of this name; the previous one works for 24 hours. @throws DomainError NOT_FOUND. */
  async rotate(caller: OperatorCaller, { name }: OperatorKeyName): Promise<OperatorKeyWithText> {
    const before = await this.#row(name);
    const key = newKey();
    const previousUntil = new Date(this.options.clock() + PREVIOUS_KEY_MS);
    const after = { ...before, hash: hashOf(key), previousHash: before.hash, previousUntil };
    await this.#replace(caller, 'operator-key.rotate', before, after);
    return { ...operatorKeyView(after), key };
  }

  /** Withdraws a key: every gateway refuses it within seconds. @throws DomainError NOT_FOUND. */
  async withdraw(caller: OperatorCaller, { name }: OperatorKeyName): Promise<OperatorKey> {
    const before = await this.#row(name);
    const after = { ...before, withdrawnAt: this.#now() };
    await this.#replace(caller, 'operator-key.withdraw', before, after);
    return operatorKeyView(after);
  }

  async #row(name: string): Promise<OperatorKeyRow> {
    const row = await this.options.models.operatorKeys
      .findOne({ _id: name, withdrawnAt: { $exists: false } })
      .lean<OperatorKeyRow>();
    if (row === null) throw new DomainError('NOT_FOUND', 'No operator key has this name.', { field: 'name' });
    return row;
  }

  /** @throws DomainError CONFLICT when a concurrent request has changed it. */
  #replace(
    caller: OperatorCaller,
    operation: KeyOperation,
    before: OperatorKeyRow,
    after: OperatorKeyRow,
  ): Promise<void> {
    return this.#write(caller, operation, before, after, async (keys, session) => {
      const same = { _id: before._id, hash: before.hash, withdrawnAt: { $exists: false } };
      const { matchedCount } = await native(keys).replaceOne(same, after, { session });
      if (matchedCount === 0) throw new DomainError('CONFLICT', 'The key was changed at the same moment; try again.');
    });
  }

  async #write(
    caller: OperatorCaller,
    operation: KeyOperation,
    before: OperatorKeyRow | null,
    after: OperatorKeyRow,
    write: (keys: OperatorModels['operatorKeys'], session: ClientSession) => Promise<void>,
  ): Promise<void> {
    const { models, recordWrites } = this.options;
    const outcome = OUTCOMES[operation];
    await models.operatorKeys.db.transaction(async (session) => {
      await write(models.operatorKeys, session);
      await recordWrites(caller, [{ operation, subject: after._id, outcome, before, after }], session);
    });
    this.invalidate();
  }

  async #live(): Promise<OperatorKeyRow[]> {
    const cached = this.#rows;
    const fresh = cached !== undefined && performance.now() - cached.at < STALE_MS;
    const rows = fresh ? cached : { read: this.#all(), at: performance.now() };
    this.#rows = rows;
    try {
      return (await rows.read).filter(({ withdrawnAt }) => withdrawnAt === undefined);
    } catch (error) {
      if (this.#rows === rows) this.invalidate();
      throw error;
    }
  }

  async #all(): Promise<OperatorKeyRow[]> {
    return this.options.models.operatorKeys
      .find({}, null, CACHED_READ)
      .sort({ _id: 1 })
      .limit(MAX_KEYS)
      .lean<OperatorKeyRow[]>();
  }

  #now(): Date {
    return new Date(this.options.clock());
  }
}

type KeyOperation = 'operator-key.create' | 'operator-key.rotate' | 'operator-key.withdraw';
const OUTCOMES = {
  'operator-key.create': 'created',
  'operator-key.rotate': 'updated',
  'operator-key.withdraw': 'retired',
} as const satisfies Record<KeyOperation, string>;

const newKey = (): string => `gwop_${randomBytes(KEY_BYTES).toString('base64url')}`;
/** Keys have 256 random bits, so a plain hash cannot be reversed, and looking it up needs no constant-time comparison. */
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

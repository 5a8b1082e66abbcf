// Backups of holders' keys (docs/sdk.md): ciphertext of the holder's client, which the gateway cannot open.
import { createHash } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import type { HolderCaller } from '../base/callers/caller.js';
import { badInput, DomainError } from '../base/errors.js';
import { native } from '../base/mongodb/native.js';
import { checkMatch } from '../http/requests/preconditions.js';
import type { KeyBackupContent, KeyBackupRow, KeyModels } from './key-models.js';
import type { KeyBackup, PutKeyBackup } from './key-types.js';
import type { SecondFactor } from './second-factor.service.js';
import type { Sessions } from './sessions.js';

/** Bytes of a backup's JSON text. */
const MAX_BYTES = 16_384;

export interface KeyBackupsParts {
  models: KeyModels;
  sessions: Sessions;
  secondFactor: SecondFactor;
  clock(): number;
}

/** Stores one backup for each holder. */
export class KeyBackups {
  constructor(private readonly parts: KeyBackupsParts) {}

  /** The caller's backup. @throws DomainError NOT_FOUND. */
  async get({ holderId }: HolderCaller): Promise<KeyBackup> {
    const row = await this.#row(holderId);
    if (row === null) throw new DomainError('NOT_FOUND', 'The holder has no key backup.');
    return backupOf(row);
  }

  /**
   * Writes the first backup (`ifNoneMatch: '*'`), which also proves the session's second factor, or replaces one
   * (`ifMatch`).
   * @throws DomainError PRECONDITION_FAILED if another backup was written first or neither header is present,
   * MFA_REQUIRED, BAD_USER_INPUT, PAYLOAD_TOO_LARGE.
   */
  async put(caller: HolderCaller, { ifMatch, ifNoneMatch, ...content }: PutKeyBackup): Promise<KeyBackup> {
    const text = JSON.stringify(content);
    check(content, text);
    if (ifMatch === undefined && ifNoneMatch === undefined) throw unconditional();
    if (ifNoneMatch !== undefined && ifNoneMatch !== '*') throw badInput('if-none-match takes only *.', 'ifNoneMatch');
    const { secondFactor, clock } = this.parts;
    const before = await this.#row(caller.holderId);
    checkMatch({ ifMatch }, before?.etag, 'backup');
    if (before !== null && ifNoneMatch !== undefined) throw notFirst();
    // The first backup creates the second factor. It replaces nothing, also if another one is written meanwhile.
    if (before !== null) await secondFactor.require(caller, 'putKeyBackup');
    const etag = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    const row = { _id: caller.holderId, ...content, etag, updatedAt: new Date(clock()) };
    await (before === null ? this.#insert(caller, row) : this.#replace(before, row));
    return backupOf(row);
  }

  #row(holderId: string): Promise<KeyBackupRow | null> {
    return this.parts.models.keyBackups.findById(holderId).lean<KeyBackupRow>().exec();
  }

  async #insert(caller: HolderCaller, { _id, ...row }: KeyBackupRow): Promise<void> {
    const { models, sessions } = this.parts;
    await models.keyBackups.db.transaction(async (session: ClientSession) => {
      const change = { $setOnInsert: row };
      const { upsertedCount } = await models.keyBackups.updateOne({ _id }, change, { session, upsert: true });
      if (upsertedCount === 0) throw notFirst();
      await sessions.prove(caller, session);
    });
  }

  async #replace({ _id, etag }: KeyBackupRow, row: KeyBackupRow): Promise<void> {
    const { matchedCount } = await native(this.parts.models.keyBackups).replaceOne({ _id, etag }, row);
    if (matchedCount === 0)
      throw new DomainError('PRECONDITION_FAILED', 'The backup was changed by another request at the same time.');
  }
}

const backupOf = ({ _id, updatedAt: _updatedAt, ...backup }: KeyBackupRow): KeyBackup => ({
  ...backup,
  wraps: [...backup.wraps],
});

function check({ recoveryProofHash }: KeyBackupContent, text: string): void {
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new DomainError('PAYLOAD_TOO_LARGE', 'A key backup may have at most 16 KiB.');
  if (recoveryProofHash === undefined)
    throw badInput(
      'Give "recoveryProofHash": without a passkey, the recovery code is the only way to prove the second factor.',
      'recoveryProofHash',
    );
}

const notFirst = (): DomainError =>
  new DomainError('PRECONDITION_FAILED', 'There is a backup already; read it, and replace it by if-match.');

const unconditional = (): DomainError =>
  new DomainError(
    'PRECONDITION_FAILED',
    'Say by if-match which backup this one replaces, or by if-none-match: * that it is the first.',
  );

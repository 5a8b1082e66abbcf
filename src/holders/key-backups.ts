// Backups of holders' keys (docs/sdk.md): ciphertext of the holder's client, which the gateway cannot open.
import { createHash } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import type { HolderCaller } from '../base/callers/caller.js';
import { badInput, DomainError } from '../base/errors.js';
import { checkMatch } from '../http/requests/preconditions.js';
import type { KeyBackupContent, KeyBackupRow, KeyModels } from './key-models.js';
import type { KeyBackup, PutKeyBackup } from './key-types.js';
import type { HolderRow } from './models.js';
import type { Notices } from './notices.js';
import type { FactorChange, SecondFactor } from './second-factor.service.js';

/** Bytes of a backup's JSON text. */
const MAX_BYTES = 16_384;

export interface KeyBackupsParts {
  models: KeyModels;
  secondFactor: SecondFactor;
  notices: Notices;
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
   * Writes the first backup (`ifNoneMatch: '*'`), or replaces one (`ifMatch`). A holder's first second factor also proves it.
   * @throws DomainError PRECONDITION_FAILED if another was first or neither is given, MFA_REQUIRED, BAD_USER_INPUT, PAYLOAD_TOO_LARGE.
   */
  async put(caller: HolderCaller, { ifMatch, ifNoneMatch, ...content }: PutKeyBackup): Promise<KeyBackup> {
    requireSmall(content);
    if (ifMatch === undefined && ifNoneMatch === undefined) throw unconditional();
    if (ifNoneMatch !== undefined && ifNoneMatch !== '*') throw badInput('if-none-match takes only *.', 'ifNoneMatch');
    const { secondFactor, notices } = this.parts;
    notices.requireRoom();
    const { backup, holder, hasNewCode } = await secondFactor.change(caller, 'putKeyBackup', (change) =>
      this.#put({ ifMatch, isFirst: ifNoneMatch !== undefined, content }, change),
    );
    if (hasNewCode) await notices.send('recovery code', holder, caller.partnerId);
    return backup;
  }

  async #put(
    { ifMatch, isFirst, content }: { ifMatch: string | undefined; isFirst: boolean; content: KeyBackupContent },
    { session, holder, requireProof, endOtherProofs }: FactorChange,
  ): Promise<{ backup: KeyBackup; holder: HolderRow; hasNewCode: boolean }> {
    const { _id: holderId } = holder;
    const before = await this.#row(holderId, session);
    checkMatch({ ifMatch }, before?.etag, 'backup');
    if (before !== null && isFirst) throw notFirst();
    await requireProof();
    if (!(await this.#hasWayIn(holderId, content, session))) throw noWayIn();
    const { recoveryProofHash } = before ?? {};
    const hasNewCode = recoveryProofHash !== content.recoveryProofHash;
    if (recoveryProofHash !== undefined && hasNewCode) await endOtherProofs();
    return { backup: await this.#write(holderId, content, session), holder, hasNewCode };
  }

  /**
   * Takes a passkey's way into the backup away, in the caller's transaction.
   * @param others the holder's other passkeys
   * @throws DomainError CONFLICT if no way in, or nothing to prove, would be left.
   */
  async removeWay(
    { holderId, passkeyId, others }: { holderId: string; passkeyId: string; others: readonly string[] },
    session: ClientSession,
  ): Promise<void> {
    const row = await this.#row(holderId, session);
    if (row === null) {
      if (others.length === 0) throw lastWay();
      return;
    }
    const { data, iv, recoveryProofHash } = row;
    const wraps = row.wraps.filter(({ kind, id }) => kind !== 'passkey' || id !== passkeyId);
    const left = { data, iv, wraps, ...(recoveryProofHash === undefined ? {} : { recoveryProofHash }) };
    if (!opens(left, others)) throw lastWay();
    if (wraps.length < row.wraps.length) await this.#write(holderId, left, session);
  }

  #row(holderId: string, session: ClientSession | null = null): Promise<KeyBackupRow | null> {
    return this.parts.models.keyBackups.findById(holderId).session(session).lean<KeyBackupRow>().exec();
  }

  async #hasWayIn(holderId: string, content: KeyBackupContent, session: ClientSession): Promise<boolean> {
    if (opens(content, [])) return true;
    const passkeys = await this.parts.models.passkeys.find({ holderId }, { _id: 1 }).session(session).lean();
    return opens(
      content,
      passkeys.map(({ _id }) => _id),
    );
  }

  async #write(_id: string, content: KeyBackupContent, session: ClientSession): Promise<KeyBackup> {
    const { models, clock } = this.parts;
    const etag = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
    const row = { _id, ...content, etag, updatedAt: new Date(clock()) };
    await models.keyBackups.replaceOne({ _id }, row, { session, upsert: true });
    return backupOf(row);
  }
}

/** Whether a backup can be opened, by the recovery code or by one of these passkeys. */
function opens({ wraps, recoveryProofHash }: KeyBackupContent, passkeys: readonly string[]): boolean {
  return wraps.some(({ kind, id = '' }) =>
    kind === 'recovery' ? recoveryProofHash !== undefined : passkeys.includes(id),
  );
}

const backupOf = ({ _id, updatedAt: _updatedAt, ...backup }: KeyBackupRow): KeyBackup => ({
  ...backup,
  wraps: [...backup.wraps],
});

function requireSmall(content: KeyBackupContent): void {
  if (Buffer.byteLength(JSON.stringify(content)) > MAX_BYTES)
    throw new DomainError('PAYLOAD_TOO_LARGE', 'A key backup may have at most 16 KiB.');
}

const noWayIn = (): DomainError =>
  badInput(
    'Give "recoveryProofHash" and a wrap of the recovery code, or a wrap of a passkey that the holder has: nothing else would open this backup.',
    'recoveryProofHash',
  );

const lastWay = (): DomainError =>
  new DomainError(
    'CONFLICT',
    'This passkey is the last way in; add another one or a recovery code before removing it.',
  );

const notFirst = (): DomainError =>
  new DomainError('PRECONDITION_FAILED', 'There is a backup already; read it, and replace it by if-match.');

const unconditional = (): DomainError =>
  new DomainError(
    'PRECONDITION_FAILED',
    'Say by if-match which backup this one replaces, or by if-none-match: * that it is the first.',
  );

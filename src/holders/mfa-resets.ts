// Resets second factors, for holders who have lost every one (docs/sdk.md): operators remove passkeys and the key backup.
import type { Connection } from 'mongoose';
import type { OperatorCaller } from '../base/callers/caller.js';
import type { RecordWrites } from '../store/audit-port.js';
import { erasedHolder, type Holders } from './holders.service.js';
import type { HolderModels, HolderRow } from './models.js';
import type { Notices } from './notices.js';
import type { Sessions } from './sessions.js';
import type { HolderName, MfaReset } from './types.js';

export interface MfaResetsParts {
  connection: Connection;
  models: HolderModels;
  holders: Holders;
  sessions: Sessions;
  notices: Notices;
  recordWrites: RecordWrites;
}

/** Removes a holder's second factors. */
export class MfaResets {
  constructor(private readonly parts: MfaResetsParts) {}

  /**
   * Removes all passkeys and the key backup of a holder. What only the backup had stays unreadable.
   * @throws DomainError BAD_USER_INPUT (not exactly one name), NOT_FOUND.
   */
  async reset(caller: OperatorCaller, name: HolderName): Promise<MfaReset> {
    const { connection, models, holders, sessions, notices, recordWrites } = this.parts;
    notices.requireRoom();
    const found = await holders.byName(name);
    if (found === undefined) throw erasedHolder();
    const { _id } = found;
    const reset = await connection.transaction(async (session) => {
      const change = { $inc: { factorChanges: 1 }, $unset: { passkeyCount: 1 as const } };
      const options = { session, projection: { passkeyCount: 1 } };
      const holder = await models.holders.findOneAndUpdate({ _id }, change, options).lean<HolderRow>();
      if (holder === null) throw erasedHolder();
      await models.passkeys.deleteMany({ holderId: _id }, { session });
      const { deletedCount } = await models.keyBackups.deleteOne({ _id }, { session });
      await sessions.endProofs(_id, session);
      const before = { passkeyCount: holder.passkeyCount ?? 0, hadKeyBackup: deletedCount > 0 };
      const entry = { operation: 'holder.reset-mfa', subject: _id, outcome: 'deleted', before } as const;
      await recordWrites(caller, [entry], session);
      return { userId: _id, ...before };
    });
    await notices.send('reset', found);
    return reset;
  }
}

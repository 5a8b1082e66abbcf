// Erases a holder: its record, keys, passkeys, links to partners, accounts, logins, sessions and mails. Rate limits contain keyed hashes, which expire.
import type { ClientSession, Connection } from 'mongoose';
import type { SealedBox } from '../keys/sealed-box.js';
import type { ErasedHolder, Eraser } from '../store/erasure-port.js';
import type { NewEvent } from '../store/event-port.js';
import { deleteInPieces } from '../store/pieces.js';
import { emailHashes } from './email.js';
import { type HolderRow, holderModels } from './models.js';
import { LOGIN_MS } from './pending-logins.js';
import { sessionEvent } from './session-events.js';

/** Ends a holder in the caller's transaction: record and sessions. Returns whether it existed. */
export async function endHolder(connection: Connection, holderId: string, session: ClientSession): Promise<boolean> {
  const { holders, sessions } = holderModels(connection);
  const { deletedCount } = await holders.deleteOne({ _id: holderId }, { session });
  await sessions.deleteMany({ holderId }, { session });
  return deletedCount > 0;
}

/** The event that disconnects the clients of a holder that was erased. */
export const endEvent = (holderId: string): NewEvent => sessionEvent('logged_out', { holderId });

/** The addresses of a holder's accounts, and of the keys that sign for them. */
export async function addressesOf(
  connection: Connection,
  { _id: holderId, abstractAccountAddress, accountOwner }: HolderRow,
): Promise<string[]> {
  const accounts = await holderModels(connection).accounts.find({ holderId }).lean();
  const all = [abstractAccountAddress, accountOwner, ...accounts.flatMap(({ _id, address }) => [_id, address])];
  return [...new Set(all.filter((address) => address !== undefined))];
}

/** The eraser of holders. */
export function holderEraser(connection: Connection, box: SealedBox): Eraser {
  return { erase: (holder, signal) => forget(connection, box, holder, signal) };
}

async function forget(
  connection: Connection,
  box: SealedBox,
  { holderId, email, addresses, at }: ErasedHolder,
  signal: AbortSignal,
): Promise<void> {
  const models = holderModels(connection);
  const emailHash = { $in: emailHashes(box, email) };
  const isBefore = { $lt: at };
  await models.holders.deleteOne({ _id: holderId });
  await models.keyBackups.deleteOne({ _id: holderId });
  await models.keyHandOvers.deleteOne({ _id: holderId });
  await models.passkeys.deleteMany({ holderId });
  await models.passkeyChallenges.deleteMany({ holderId });
  await deleteInPieces(models.holderPartners, { holderId }, { signal });
  await models.sessions.deleteMany({ holderId });
  await models.partnerLinks.deleteMany({ holderId });
  await deleteInPieces(models.challenges, { holderId }, { signal });
  await models.accounts.deleteMany({ holderId });
  await deleteInPieces(models.accountLogins, { address: { $in: [...addresses] } }, { signal });
  const openedBefore = { $lt: new Date(at.getTime() + LOGIN_MS) };
  await deleteInPieces(models.logins, { emailHash, expiresAt: openedBefore }, { signal });
  await models.mails.deleteMany({ emailHash, sentAt: isBefore });
}

// Closes verifications: writes state, receipt, proof, counts and event in the caller's transaction, and removes the fields that name the holder.
import type { ClientSession } from 'mongoose';
import { native } from '../../base/mongodb/native.js';
import type { SigningKeys } from '../../keys/signing-keys.js';
import { LONGEST_MS } from '../../keys/zk/threads.js';
import type { PartnerDirectory } from '../../partners/directory.service.js';
import type { AppendEvents, NewEvent, PayloadValue } from '../../store/event-port.js';
import { isOver } from '../../store/lease-end.js';
import type { VerificationModels, VerificationRow } from './models.js';
import type { VerificationReason, VerificationStatus } from '../forms/verification.js';
import { receiptOf } from './record.js';

/** The outcome of a verification. */
export interface ClosingOutcome {
  status: Exclude<VerificationStatus, 'Pending'>;
  reason: VerificationReason | null;
}

export interface ClosingParts {
  models: VerificationModels;
  signingKeys: SigningKeys;
  partners: Pick<PartnerDirectory, 'actingFor'>;
  appendEvents: AppendEvents;
  clock(): number;
}

/** The lease of a proof check in milliseconds, by the database's clock: longer than the check and the reads before it. */
export const LEASE_MS = LONGEST_MS + 5_000;
const DAY_MS = 86_400_000;
const PROOF_KEPT_MS = DAY_MS;
const RECORD_KEPT_MS = 90 * DAY_MS;
const RECEIPT_TYPE = 'verification+jwt';

/** Rows that no process is checking. */
export const UNCHECKED = { $expr: isOver('$check.until', LEASE_MS) };

/** An event of a verification, for its partner. */
export function verificationEvent(
  type: NewEvent['type'],
  { _id: verificationId, partnerId, programId, status, reason }: VerificationRow,
  inside: Readonly<Record<string, PayloadValue>> = {},
): NewEvent {
  return { type, viewers: { partnerId }, payload: { verificationId, programId, status, reason, ...inside } };
}

/** Ends verifications. */
export class Closings {
  constructor(private readonly parts: ClosingParts) {}

  /** Closes a verification, unless it is no longer in the state of `row`, or `guard` does not hold. Returns whether it did. */
  async close(
    row: VerificationRow,
    { status, reason }: ClosingOutcome,
    session: ClientSession,
    guard: object = {},
  ): Promise<boolean> {
    const { models, signingKeys, appendEvents, clock } = this.parts;
    const decidedAt = new Date(clock());
    const current = status === 'Compliant' ? status : null;
    const decision = { state: 'closed' as const, status, reason, decidedAt, current };
    const closed: VerificationRow = { ...row, ...decision };
    const signer = await signingKeys.signer('gateway');
    const receipt = await signer.sign(JSON.stringify(receiptOf(closed)), { typ: RECEIPT_TYPE });
    const expireAt = new Date(decidedAt.getTime() + RECORD_KEPT_MS);
    const { credentialId, proofSha256, nullifier, claimKey, holderKey, disclosed } = row;
    const proof = {
      ...{ credentialId, proofSha256, nullifier },
      ...(claimKey === undefined ? {} : { claimKey }),
      ...(holderKey === undefined ? {} : { holderKey }),
      ...(disclosed === undefined ? {} : { disclosed }),
    };
    const change = {
      $set: { ...decision, ...proof, receipt, expireAt },
      $unset: { waiting: 1, holderId: 1, coreClaimHash: 1, dueAt: 1, check: 1, toAnchor: 1, cak: 1 },
    };
    const filter = { _id: row._id, state: row.state, ...guard };
    const { modifiedCount } = await native(models.verifications).updateOne(filter, change, {
      session,
    });
    if (modifiedCount === 0) return false;
    const inside = status === 'Compliant' ? await this.#count(closed, session) : await this.#giveBack(row, session);
    const cakEvents = status === 'Compliant' ? await this.#cakEvents(row) : [];
    await appendEvents([verificationEvent('verification_closed', closed, inside), ...cakEvents], session);
    return true;
  }

  /**
   * Counts a Compliant verification. Returns further members of the event's payload, which are internal: traction is
   * folded from them.
   */
  async #count(row: VerificationRow, session: ClientSession): Promise<Record<string, PayloadValue>> {
    const { models } = this.parts;
    const { programId, credentialId, issuerId = '', nullifier, coreClaimHash, decidedAt } = row;
    const facts = { nullifier: nullifier ?? '', programId, credentialId, issuerId };
    await models.nullifiers.updateOne(
      { _id: `${nullifier ?? `- ${programId}`} ${credentialId}` },
      { $inc: { count: 1 }, $setOnInsert: facts },
      { session, upsert: true },
    );
    if (nullifier === null || coreClaimHash === undefined) return { credentialId, issuerId };
    const before = await models.uses
      .findOneAndUpdate({ _id: nullifier }, { $inc: { compliant: 1 } }, { session, returnDocument: 'before' })
      .lean();
    const expireAt = new Date((decidedAt?.getTime() ?? 0) + PROOF_KEPT_MS);
    await models.proofs.updateOne({ _id: row._id }, { $set: { expireAt } }, { session });
    return { credentialId, issuerId, coreClaimHash, firstOfProgram: before?.compliant === 0 };
  }

  /** Events about the consent to the CAK: for the holder, and for every partner of the issuer (contract §16). */
  async #cakEvents({ cak, holderId }: VerificationRow): Promise<NewEvent[]> {
    if (cak === undefined || holderId === undefined) return [];
    const { issuerDid, schemaId, verifierDid } = cak;
    const payload = { userId: holderId, verifierDid, schemaId };
    const partnerIds = await this.parts.partners.actingFor(issuerDid);
    const viewers = [{ holderId }, ...partnerIds.map((partnerId) => ({ partnerId }))];
    return viewers.map((each) => ({ type: 'cak_authorized', viewers: each, payload }));
  }

  /** Reverts the use count of a proved verification that did not become Compliant. */
  async #giveBack({ _id, state, nullifier }: VerificationRow, session: ClientSession): Promise<Record<string, never>> {
    if (state !== 'proved') return {};
    const { uses, proofs } = this.parts.models;
    if (nullifier !== null) await uses.updateOne({ _id: nullifier }, { $inc: { taken: -1 } }, { session });
    await proofs.deleteOne({ _id }, { session });
    return {};
  }
}

// Verifications with a valid proof (contract §15): Pending until claim and proof are on the chain, then decided by the claim's status.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { ClientSession, Connection } from 'mongoose';
import { native } from '../../base/mongodb/native.js';
import type { ProgramCatalog } from '../../catalog/reading/program-terms.service.js';
import type { Chain } from '../../chain/chain.service.js';
import type { Holding, Holdings } from '../../issuance/holdings.service.js';
import type { VcStatus } from '../../issuance/types.js';
import type { AppendEvents } from '../../store/event-port.js';
import { type ClosingOutcome, type Closings, verificationEvent } from '../records/closings.js';
import type { CakNotice, UseRow, VerificationModels, VerificationRow } from '../records/models.js';
import type { Nullifiers } from '../records/nullifiers.js';
import { acceptedOf, type ProgramVersions } from '../proofs/program-versions.js';
import { endedAs, statusOf, waitsFor } from './statuses.js';
import { transact } from '../records/transact.js';

export interface ProvingParts {
  connection: Connection;
  models: VerificationModels;
  holdings: Holdings;
  chain: Pick<Chain, 'isConfigured'>;
  versions: ProgramVersions;
  programs: Pick<ProgramCatalog, 'names'>;
  nullifiers: Nullifiers;
  closings: Closings;
  appendEvents: AppendEvents;
  clock(): number;
}

/** A credential of an issuer that is not managed: there is no claim of it here, and its holder is not known. */
export type OthersCredential = Pick<Holding, 'credentialId' | 'issuerId'>;

/** A valid proof. */
export interface Proved {
  /** Absent: it is not stored. */
  presentation?: string;
  proofSha256: string;
  /** The claim as it was before the check. */
  holding: Holding | OthersCredential;
  /** What a wallet disclosed. */
  disclosed?: string[];
}

const isOurs = (holding: Holding | OthersCredential): holding is Holding => 'coreClaimHash' in holding;

const PENDING_MS = 30 * 86_400_000;
const COMPLIANT: ClosingOutcome = { status: 'Compliant', reason: null };
const REPEAT: ClosingOutcome = { status: 'Non-Compliant', reason: 'repeat' };

/** Proved verifications. */
export class ProvedVerifications {
  constructor(private readonly parts: ProvingParts) {}

  /**
   * Records a valid proof of an open verification, in the caller's transaction. Returns the new row.
   * @param refused the outcome, if the verification ends nevertheless
   */
  async prove(
    row: VerificationRow,
    proved: Proved,
    session: ClientSession,
    refused?: ClosingOutcome,
  ): Promise<VerificationRow> {
    const { holdings, nullifiers, closings } = this.parts;
    const { holding: before } = proved;
    if (!isOurs(before)) {
      const facts = this.#anchored(row, proved, null);
      if (refused === undefined) return this.#wait({ ...row, ...facts }, 'ONCHAIN', proved, session);
      await closings.close({ ...row, ...facts }, refused, session);
      return { ...row, ...facts, ...refused };
    }
    const { coreClaimHash } = before;
    const holding = (await holdings.byHashes([coreClaimHash], session)).get(coreClaimHash) ?? before;
    const nullifier = await nullifiers.nullifier(row.programId, holding.holderId);
    // By the claim as it is now: a holder that was erased since the check is not named.
    const facts = { ...this.#anchored(row, proved, nullifier), ...(await this.#claimOf(row, holding)) };
    const end =
      refused ?? endedAs(holding.vcStatus) ?? ((await this.#isSpent(row, nullifier, session)) ? REPEAT : undefined);
    if (end !== undefined) {
      await closings.close({ ...row, ...facts }, end, session);
      return { ...row, ...facts, ...end };
    }
    return this.#wait({ ...row, ...facts }, holding.vcStatus, proved, session);
  }

  /** Decides on a proved verification by the current status of its claim. Does nothing if it is no longer in the state `proved`. */
  settle(_id: string): Promise<void> {
    const { connection, models, holdings } = this.parts;
    return transact(connection, async (session) => {
      const row = await models.verifications
        .findOne({ _id, state: 'proved' }, null, { session })
        .lean<VerificationRow>();
      if (row === null) return;
      const { coreClaimHash } = row;
      const claims = await holdings.byHashes(coreClaimHash === undefined ? [] : [coreClaimHash], session);
      const vcStatus = statusOf(row, claims.get(coreClaimHash ?? ''));
      if (vcStatus) await this.decide(row, vcStatus, session);
    });
  }

  /** Closes a proved verification, or stores its reason for waiting, in the caller's transaction. */
  async decide(row: VerificationRow, vcStatus: VcStatus, session: ClientSession): Promise<void> {
    const { models, closings, chain } = this.parts;
    const reason = waitsFor(vcStatus, row, chain.isConfigured);
    const end = endedAs(vcStatus) ?? (reason === undefined ? COMPLIANT : undefined);
    if (end !== undefined) await closings.close(row, end, session);
    else if (reason !== row.reason)
      await models.verifications.updateOne({ _id: row._id, state: 'proved' }, { $set: { reason } }, { session });
  }

  /** What is stored of every proof, and the digest that is anchored. */
  #anchored(row: VerificationRow, { proofSha256, holding, disclosed }: Proved, nullifier: string | null) {
    const { credentialId, issuerId } = holding;
    const { _id: verificationId, programId, programVersion } = row;
    const anchored = { verificationId, programId, programVersion, nullifier, proofSha256 };
    const digest = createHash('sha256')
      .update(canonicalize(anchored) ?? '')
      .digest('hex');
    return { credentialId, issuerId, nullifier, proofSha256, digest, ...(disclosed && { disclosed }) };
  }

  /** What is stored of a claim and its holder. */
  async #claimOf(row: VerificationRow, holding: Holding) {
    const { nullifiers } = this.parts;
    const { coreClaimHash, holderId } = holding;
    const [claimKey] = await nullifiers.claimKeys([coreClaimHash]);
    const cak = await this.#cakOf(row, holding);
    // A wallet does not log in: its holder is known by the claim.
    const holder = row.holderKey === undefined && { holderId, holderKey: await nullifiers.holderKey(holderId) };
    return { coreClaimHash, claimKey, ...holder, ...(cak && { cak }) };
  }

  /** The notice to the issuer, for a program that asks for the CAK. */
  async #cakOf(
    { programId, programVersion }: VerificationRow,
    { credentialId, schemaId }: Holding,
  ): Promise<CakNotice | undefined> {
    const { versions, programs } = this.parts;
    const pinned = await versions.find(programVersion);
    const accepted = pinned?.options.cak ? acceptedOf(pinned, credentialId) : undefined;
    if (accepted === undefined) return undefined;
    const { verifierDid } = await programs.names(programId);
    return { issuerDid: accepted.issuerDid, schemaId, verifierDid };
  }

  /** Whether the holder has reached the program's maximum. Uses are counted in one row, so that concurrent ones conflict. */
  async #isSpent(
    { programId, programVersion }: VerificationRow,
    _id: string,
    session: ClientSession,
  ): Promise<boolean> {
    const { models, versions } = this.parts;
    const { maxPerHolder = null } = (await versions.find(programVersion))?.options ?? {};
    const { taken = 0 } = (await models.uses.findById(_id, null, { session }).lean<UseRow>()) ?? {};
    if (maxPerHolder !== null && taken >= maxPerHolder) return true;
    const change = { $inc: { taken: 1 }, $setOnInsert: { programId, compliant: 0 } };
    await models.uses.updateOne({ _id }, change, { session, upsert: true });
    return false;
  }

  async #wait(
    row: VerificationRow,
    vcStatus: VcStatus,
    { presentation }: Proved,
    session: ClientSession,
  ): Promise<VerificationRow> {
    const { models, chain, clock, appendEvents } = this.parts;
    const now = clock();
    const reason = waitsFor(vcStatus, row, chain.isConfigured) ?? null;
    const { _id, check: _check, ...rest } = row;
    const facts = { ...rest, state: 'proved' as const, reason };
    const times = { toAnchor: new Date(now), dueAt: new Date(now + PENDING_MS), anchoredAt: null };
    const proved: VerificationRow = { _id, ...facts, ...times };
    await native(models.verifications).updateOne(
      { _id, state: 'open' },
      { $set: { ...facts, ...times }, $unset: { check: 1 } },
      { session },
    );
    if (presentation !== undefined) await native(models.proofs).insertOne({ _id, presentation }, { session });
    await appendEvents([verificationEvent('verification_proved', proved)], session);
    return proved;
  }
}

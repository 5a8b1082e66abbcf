// Updates verifications from the event log, in order (contract §15): proved ones are decided when their claim changes,
// and Compliant ones lapse when it ends. Decisions depend only on the current rows, so an event may be handled twice.
import type { ClientSession, Connection } from 'mongoose';
import type { Holdings } from '../../issuance/holdings.service.js';
import type { AppendEvents, StampedEvent } from '../../store/event-port.js';
import type { EventType } from '../../store/event-types.js';
import { verificationEvent } from '../records/closings.js';
import type { VerificationModels, VerificationRow } from '../records/models.js';
import type { Nullifiers } from '../records/nullifiers.js';
import type { ProvedVerifications } from './proved-verifications.js';
import { endedAs } from './statuses.js';
import { transact } from '../records/transact.js';

export interface OutcomeParts {
  connection: Connection;
  models: VerificationModels;
  holdings: Holdings;
  nullifiers: Nullifiers;
  provedVerifications: ProvedVerifications;
  appendEvents: AppendEvents;
}

/** Types of events about claims: that a claim is on the chain, and that it has ended. */
const ANCHORED: readonly EventType[] = ['anchored'];
const ENDED: readonly EventType[] = ['revoked', 'removed', 'expired'];
/** Types of events that are handled. */
export const OUTCOME_EVENTS: readonly EventType[] = [
  ...ANCHORED,
  ...ENDED,
  'verification_proved',
  'verification_closed',
];
/** Proved ones with a credential of an issuer that is not managed: they are found by when they time out. */
const OF_OTHERS = { dueAt: { $gt: new Date(0) }, state: 'proved' as const, wallet: { $exists: true } };
/** Rows that lapse in one transaction. */
const LAPSED_AT_ONCE = 250;

/** Follows the event log. */
export class VerificationOutcomes {
  constructor(private readonly parts: OutcomeParts) {}

  /** Handles events. A constant number of commands, plus those of each verification that changes. */
  async follow(events: readonly StampedEvent[]): Promise<void> {
    const ended = new Set(claimsOf(events, ENDED));
    const changed = [...ended, ...claimsOf(events, ANCHORED)];
    for (const id of await this.#proved(changed, provedIds(events))) await this.parts.provedVerifications.settle(id);
    await this.#lapse([...new Set([...ended, ...compliantClaims(events)])]);
  }

  /** Decides on all proved verifications, in case events have expired from the log. */
  async settleAll(signal: AbortSignal): Promise<void> {
    for (const filter of [{ coreClaimHash: { $gt: '' } }, OF_OTHERS]) {
      const rows = this.parts.models.verifications
        .find(filter, { _id: 1 })
        .lean<Pick<VerificationRow, '_id'>[]>()
        .cursor();
      for await (const { _id } of rows) {
        if (signal.aborted) return;
        await this.parts.provedVerifications.settle(_id);
      }
    }
  }

  async #proved(hashes: readonly string[], ids: readonly string[]): Promise<string[]> {
    if (hashes.length === 0) return [...ids];
    const rows = await this.parts.models.verifications
      .find({ coreClaimHash: { $in: hashes } }, { _id: 1 })
      .lean<Pick<VerificationRow, '_id'>[]>();
    return [...new Set([...ids, ...rows.map(({ _id }) => _id)])];
  }

  /** Ends Compliant verifications of claims that have ended. They are found by the claim's keyed hash. */
  async #lapse(hashes: readonly string[]): Promise<void> {
    const { connection, nullifiers, holdings } = this.parts;
    if (hashes.length === 0) return;
    const keys = await nullifiers.claimKeys(hashes);
    const claims = await holdings.byHashes(hashes);
    const holdingOf = new Map(keys.map((key, at) => [key, claims.get(hashes[at] ?? '')]));
    for (const [claimKey, holding] of holdingOf) {
      const current = holding && endedAs(holding.vcStatus)?.status;
      if (!current) continue;
      const lapse = (session: ClientSession) => this.#lapseSome(claimKey, current, session);
      while ((await transact(connection, lapse)) === LAPSED_AT_ONCE);
    }
  }

  /** The partner gets one event when it is no longer Compliant. */
  async #lapseSome(
    claimKey: string,
    current: NonNullable<VerificationRow['current']>,
    session: ClientSession,
  ): Promise<number> {
    const { models, appendEvents } = this.parts;
    const rows = await models.verifications
      .find({ claimKey, status: 'Compliant', current: { $ne: current } }, null, { session })
      .limit(LAPSED_AT_ONCE)
      .lean<VerificationRow[]>();
    if (rows.length === 0) return 0;
    const ids = rows.map(({ _id }) => _id);
    await models.verifications.updateMany({ _id: { $in: ids } }, { $set: { current } }, { session });
    const lapsed = rows.filter((row) => row.current === 'Compliant');
    const events = lapsed.map((row) => verificationEvent('verification_lapsed', { ...row, status: current }));
    await appendEvents(events, session);
    return rows.length;
  }
}

const claimsOf = (events: readonly StampedEvent[], types: readonly EventType[]): string[] =>
  events.flatMap(({ type, payload }) => (types.includes(type) ? [String(payload.coreClaimHash)] : []));

/** Events of proofs are handled as well: if a claim ended during the check, there is no later event about the claim. */
const provedIds = (events: readonly StampedEvent[]): string[] =>
  events.flatMap(({ type, payload }) => (type === 'verification_proved' ? [String(payload.verificationId)] : []));

/** The same for claims that ended while the verification became Compliant. */
const compliantClaims = (events: readonly StampedEvent[]): string[] =>
  events.flatMap(({ type, payload }) =>
    type === 'verification_closed' && payload.status === 'Compliant'
      ? [payload.coreClaimHash ?? []].flat().map(String)
      : [],
  );

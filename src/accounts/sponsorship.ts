// The payment of gas: the partner of a session pays, within its policy, which is enforced in the transaction of the job
// (contract §22). A new job reserves its gas limit; when it ends, unused gas is returned. Days are in UTC.
import type { ClientSession } from 'mongoose';
import type { HolderCaller } from '../base/callers/caller.js';
import { ignoreDuplicate } from '../base/mongodb/duplicate-key.js';
import { DomainError } from '../base/errors.js';
import { Limit } from '../base/concurrency/limit.js';
import type { JobRow } from '../chain/outbox.service.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import { DEFAULT_GAS_POLICIES, type GasPolicy, gasShareOf } from '../partners/gas-policy.service.js';
import type { AccountModels, SpendingRow } from './models.js';

/** What gas is spent on. */
export type GasUse = 'deploys' | 'mints' | 'operations';

/** The partner that pays, its policy, and the day whose budget is used. */
export interface Payer {
  partnerId: string;
  policy: GasPolicy;
  /** `YYYY-MM-DD`. */
  day: string;
}

/** Gas to be reserved for a job. */
export interface GasReservation {
  jobId: string;
  holderId: string;
  /** What the job is counted as. */
  uses: readonly GasUse[];
  gas: number;
}

export interface SponsorshipParts {
  models: AccountModels;
  partners: PartnerDirectory;
  environment: 'sandbox' | 'production';
  clock(): number;
}

/** How many paid requests of one partner run at the same time: fewer than there are connections to the store and the node. */
const AT_ONCE = 16;
/** The most requests of one partner that wait. */
const MAX_WAITING = 1_000;
const DAY_MS = 86_400_000;
/** How long a spending row is stored: gas that was reserved on one day may be returned on a later one. */
const KEPT_MS = 3 * DAY_MS;
const UNVOUCHED =
  'This session was opened without a partner token, and the partner pays only for sessions that it vouches for.';

const BY_PARTNER = { atOnce: Number.POSITIVE_INFINITY };
const BUDGET_USED = 'The budget of the partner for gas is used up for today.';
const SHARE_USED = "The holder's share of the partner's budget for gas is used up for today.";

/** Reserves gas from the budgets of partners. */
export class Sponsorship {
  readonly #requests = new Limit({ ...BY_PARTNER, perKey: AT_ONCE, maxWaitingPerKey: MAX_WAITING, refusal: tooMuch });
  readonly #transactions = new Limit({ ...BY_PARTNER, perKey: 1 });

  constructor(private readonly parts: SponsorshipParts) {}

  /**
   * Runs a request that a partner pays for, or queues it in memory, before it needs a connection to the store or the node.
   * @throws DomainError RATE_LIMITED when 1,000 requests of the partner are queued.
   */
  admit<T>(partnerId: string, request: () => Promise<T>): Promise<T> {
    return this.#requests.run(request, { key: partnerId });
  }

  /** The payer for a holder: the partner of its session. @throws DomainError FORBIDDEN. */
  async payerOf({ partnerId, vouched }: HolderCaller): Promise<Payer> {
    const payer = await this.payer(partnerId ?? '');
    if (!payer.policy.anyLogin && !vouched) throw new DomainError('FORBIDDEN', UNVOUCHED);
    return payer;
  }

  /** A partner as payer. @throws DomainError FORBIDDEN when it is retired. */
  async payer(partnerId: string): Promise<Payer> {
    const { partners, environment, clock } = this.parts;
    const partner = await partners.find(partnerId);
    if (partner === undefined)
      throw new DomainError('FORBIDDEN', 'The partner that would pay for this no longer exists.');
    const day = new Date(clock()).toISOString().slice(0, 10);
    return { partnerId, policy: { ...DEFAULT_GAS_POLICIES[environment], ...partner.gasPolicy }, day };
  }

  /**
   * Runs the transaction that reserves gas. A request over the budget is refused before the transaction begins. A
   * partner's transactions run one at a time in a process, because all update the same row and would only make each
   * other retry.
   * @throws DomainError RATE_LIMITED.
   */
  runReservation<T>(
    payer: Payer,
    reservation: Omit<GasReservation, 'jobId'>,
    transaction: () => Promise<T>,
  ): Promise<T> {
    const run = async (): Promise<T> => {
      await this.#prepare(payer, reservation);
      return transaction();
    };
    return this.#transactions.run(run, { key: payer.partnerId });
  }

  /** Creates the rows to reserve from, if they are missing. @throws DomainError RATE_LIMITED when the budget is used up. */
  async #prepare(payer: Payer, reservation: Omit<GasReservation, 'jobId'>): Promise<void> {
    const { spending } = this.parts.models;
    for (const { _id, limits, over } of countersOf(payer, reservation)) {
      const row = await spending.findById(_id).lean<SpendingRow>();
      if (row === null) await this.#begin(_id, payer.day);
      for (const [field, most] of Object.entries(limits))
        if ((row?.[field as keyof typeof limits] ?? 0) > most) throw this.#over(payer, over);
    }
  }

  /** Reserves gas for a job, in the caller's transaction. @throws DomainError RATE_LIMITED. */
  async reserve(payer: Payer, reservation: GasReservation, session: ClientSession): Promise<void> {
    const { spending, reservations } = this.parts.models;
    for (const { _id, limits, change, over } of countersOf(payer, reservation)) {
      const within = Object.fromEntries(Object.entries(limits).map(([field, most]) => [field, { $lte: most }]));
      const { modifiedCount } = await spending.updateOne({ _id, ...within }, { $inc: change }, { session });
      if (modifiedCount === 0) throw this.#over(payer, over);
    }
    const { jobId: _id, gas } = reservation;
    await reservations.create([{ _id, spending: dayOf(payer), gas }], { session });
  }

  /** Returns the gas that an ended job did not use, in the transaction of its end; only once. */
  async returnUnused({ _id, holderId = '', gasUsed = 0 }: JobRow, session: ClientSession): Promise<void> {
    const { spending, reservations } = this.parts.models;
    const reservation = await reservations.findOneAndDelete({ _id }, { session }).lean();
    if (reservation === null) return;
    const rows = { $in: [reservation.spending, shareOf(reservation.spending, holderId)] };
    await spending.updateMany({ _id: rows }, { $inc: { gas: gasUsed - reservation.gas } }, { session });
  }

  async #begin(_id: string, day: string): Promise<void> {
    const expiresAt = new Date(Date.parse(day) + KEPT_MS);
    const none = { deploys: 0, mints: 0, operations: 0, gas: 0, expiresAt };
    await this.parts.models.spending
      .updateOne({ _id }, { $setOnInsert: none }, { upsert: true })
      .catch(ignoreDuplicate);
  }

  #over({ day }: Payer, message: string): DomainError {
    const retryAfter = Math.max(1, Math.ceil((Date.parse(day) + DAY_MS - this.parts.clock()) / 1_000));
    return new DomainError('RATE_LIMITED', message, { retryAfter });
  }
}

function tooMuch(): DomainError {
  const message = `More than ${MAX_WAITING} requests wait that this partner pays for; try again shortly.`;
  return new DomainError('RATE_LIMITED', message, { retryAfter: 1 });
}

interface Counter {
  _id: string;
  /** The highest value that each field may have before the change. */
  limits: Partial<Record<GasUse | 'gas', number>>;
  change: Partial<Record<GasUse | 'gas', number>>;
  /** The error message when this limit is reached. */
  over: string;
}

const dayOf = ({ day, partnerId }: Payer): string => `${day} ${partnerId}`;
const shareOf = (day: string, holderId: string): string => `${day} ${holderId}`;

/** The rows that a job counts towards, and their limits. The holder's is first, so that a holder over its share uses nothing of the partner's budget. */
function countersOf(payer: Payer, { holderId, uses, gas }: Omit<GasReservation, 'jobId'>): Counter[] {
  const { deploysPerDay, mintsPerDay, opsPerHolderPerDay, gasPerDay, ...shares } = payer.policy;
  const { deploysPerHolderPerDay: deploys, mintsPerHolderPerDay: mints } = shares;
  const _id = dayOf(payer);
  const change = { ...Object.fromEntries(uses.map((use) => [use, 1])), gas };
  const before = (most: Partial<Record<GasUse, number>>) =>
    Object.fromEntries(uses.flatMap((use) => (most[use] === undefined ? [] : [[use, most[use] - 1]])));
  const ofHolder = before({ deploys, mints, operations: opsPerHolderPerDay });
  const ofPartner = before({ deploys: deploysPerDay, mints: mintsPerDay });
  return [
    {
      _id: shareOf(_id, holderId),
      limits: { ...ofHolder, gas: gasShareOf(payer.policy) - gas },
      change,
      over: SHARE_USED,
    },
    { _id, limits: { ...ofPartner, gas: gasPerDay - gas }, change, over: BUDGET_USED },
  ];
}

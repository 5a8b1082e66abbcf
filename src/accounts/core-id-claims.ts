// Claims of core ids (contract §21): by a holder, or by a partner for one of its holders. The row of a claim reserves the name, the account
// and the holder; it is deleted if minting fails, and the name is free again.
import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { Caller, HolderCaller, PartnerCaller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import { isDuplicateKey } from '../base/mongodb/duplicate-key.js';
import { MAJORITY } from '../base/mongodb/majority.js';
import { type Chain, chainUnavailable, type Hex } from '../chain/chain.service.js';
import type { ChainOutbox, JobHandler, JobRow } from '../chain/outbox.service.js';
import type { CoreIds } from '../holders/core-ids.service.js';
import { accountIn } from '../holders/holder-accounts.service.js';
import type { HolderRow, Holders } from '../holders/holders.service.js';
import type { PartnerLogins } from '../holders/partner-logins.service.js';
import type { SecondFactor } from '../holders/second-factor.service.js';
import type { CoreIdDetails } from '../holders/types.js';
import type { RecordWrites } from '../store/audit-port.js';
import { noWallet } from './accounts.js';
import { namedNode, nodeOf, tokenIdOf } from './core-id-names.js';
import type { AccountModels, CoreIdClaimRow } from './models.js';
import type { Payer, Sponsorship } from './sponsorship.js';

export interface CoreIdClaimsParts {
  connection: Connection;
  models: AccountModels;
  chain: Chain;
  outbox: ChainOutbox;
  holders: Holders;
  coreIds: CoreIds;
  partnerLogins: PartnerLogins;
  secondFactor: SecondFactor;
  sponsorship: Sponsorship;
  recordWrites: RecordWrites;
  /** The root under which names are. */
  root: string;
  /** The address that clients use. */
  publicUrl: string;
  clock(): number;
}

/** Gas limit: more than a mint needs. */
const MINT_GAS = 100_000;
/** One message for all reasons, so that a partner learns nothing about other partners' holders. */
const NOT_FOR_PARTNER = 'No holder with this e-mail address can have a core id claimed by this partner.';

/** Claims core ids for holders. */
export class CoreIdClaims {
  constructor(private readonly parts: CoreIdClaimsParts) {}

  /** A confirmed job marks the core id as minted; a failed job frees the name. */
  readonly handler: JobHandler = {
    confirmed: async (job, _facts, session) => {
      await this.parts.sponsorship.returnUnused(job, session);
      const { coreIds } = this.parts.models;
      const claim = { _id: nodeIn(job), jobId: job._id };
      const row = await coreIds.findOneAndUpdate(claim, { $set: { minted: true } }, { session }).lean<CoreIdClaimRow>();
      if (row) await this.parts.coreIds.minted(row, this.#details({ ...row, minted: true }), session);
    },
    failed: async (job, message, session) => {
      await this.parts.sponsorship.returnUnused(job, session);
      const claim = { _id: nodeIn(job), jobId: job._id };
      const row = await this.parts.models.coreIds.findOneAndDelete(claim, { session }).lean<CoreIdClaimRow>();
      if (row) await this.parts.coreIds.notMinted(row, tokenIdOf(row._id), message, session);
    },
    retried: async () => {
      throw new DomainError('CONFLICT', 'Minting this core id has failed, and its name is free again: claim it again.');
    },
  };

  /**
   * Claims a core id for the caller; the session's partner pays. If the caller has one, or one is being minted, that one is returned.
   * @throws DomainError MFA_REQUIRED (a session that a link opened), CONFLICT (no wallet, name taken), CHAIN_UNAVAILABLE, FORBIDDEN and RATE_LIMITED (policy of the partner).
   */
  claim(caller: HolderCaller, label: string | undefined): Promise<CoreIdDetails> {
    return this.parts.sponsorship.admit(caller.partnerId ?? '', async () => {
      await this.parts.secondFactor.requireOwnLogin(caller, 'claimCoreId');
      return this.#claimOwn(caller, label);
    });
  }

  async #claimOwn(caller: HolderCaller, label: string | undefined): Promise<CoreIdDetails> {
    const { holders, sponsorship } = this.parts;
    const holder = await holders.own(caller);
    if (holder.coreId) return holder.coreId;
    this.#requireChain();
    if (accountIn(holder) === undefined) throw noWallet();
    return this.#begin(caller, holder, await sponsorship.payerOf(caller), label);
  }

  /**
   * Claims one for an absent holder, by its e-mail address. @throws DomainError as `claim`; CONFLICT, with one message
   * for all reasons, if the partner may not claim for this holder.
   */
  claimFor(caller: PartnerCaller, email: string, label: string | undefined): Promise<CoreIdDetails> {
    return this.parts.sponsorship.admit(caller.partnerId, () => this.#claimFor(caller, email, label));
  }

  async #claimFor(caller: PartnerCaller, email: string, label: string | undefined): Promise<CoreIdDetails> {
    const { partnerId } = caller;
    const { holders, sponsorship } = this.parts;
    const holder = await holders.byEmail(email);
    if (holder === undefined || !(await this.#mayClaim(holder, partnerId)))
      throw new DomainError('CONFLICT', NOT_FOR_PARTNER);
    if (holder.coreId) return holder.coreId;
    this.#requireChain();
    return this.#begin(caller, holder, await sponsorship.payer(partnerId), label);
  }

  /** A core id by its token id, for anyone. @throws DomainError NOT_FOUND. */
  async byTokenId(tokenId: string): Promise<CoreIdDetails> {
    const node = nodeOf(tokenId);
    const row = node === undefined ? null : await this.parts.models.coreIds.findById(node).lean<CoreIdClaimRow>();
    if (row === null) throw new DomainError('NOT_FOUND', 'No core id has this id.');
    return this.#details(row);
  }

  #requireChain(): void {
    if (!this.parts.chain.isConfigured) throw chainUnavailable();
  }

  async #mayClaim(holder: HolderRow, partnerId: string): Promise<boolean> {
    const { holders, partnerLogins } = this.parts;
    if (accountIn(holder) === undefined || !(await partnerLogins.has(holder._id, partnerId))) return false;
    return (await holders.consentOf(holder._id, partnerId)) !== 'declined';
  }

  async #begin(caller: Caller, holder: HolderRow, payer: Payer, label?: string): Promise<CoreIdDetails> {
    const { chain, root, clock, sponsorship } = this.parts;
    const { name, node } = namedNode(root, label, holder.did);
    const row: CoreIdClaimRow = {
      _id: node,
      holderId: holder._id,
      account: accountIn(holder)?.address ?? '',
      partnerId: payer.partnerId,
      ...(name === undefined ? {} : { name }),
      chainId: chain.chainId,
      jobId: randomUUID(),
      minted: false,
      createdAt: new Date(clock()),
    };
    const reservation = { holderId: row.holderId, uses: ['mints'], gas: MINT_GAS } as const;
    try {
      return await sponsorship.runReservation(payer, reservation, () => this.#write(caller, row, payer));
    } catch (error) {
      if (isDuplicateKey(error)) return this.#existing(row);
      throw error;
    }
  }

  #write(caller: Caller, row: CoreIdClaimRow, payer: Payer): Promise<CoreIdDetails> {
    const { connection, models, outbox, coreIds, sponsorship, recordWrites } = this.parts;
    const { _id: node, jobId, holderId, partnerId } = row;
    return connection.transaction(async (session) => {
      await models.coreIds.create([row], { session });
      await sponsorship.reserve(payer, { jobId, holderId, uses: ['mints'], gas: MINT_GAS }, session);
      const args = { account: row.account as Hex, node: node as Hex };
      await outbox.put({ jobId, kind: 'mint', args, holderId, partnerId, gasLimit: MINT_GAS }, session);
      const details = this.#details(row);
      await coreIds.minting(row, details, session);
      await recordWrites(
        caller,
        [{ operation: 'core-id.claim', subject: node, outcome: 'started', after: row }],
        session,
      );
      return details;
    }, MAJORITY);
  }

  /**
   * The holder's own claim, if it exists already. @throws DomainError CONFLICT if the name or the account belongs to
   * another holder.
   */
  async #existing({ _id, holderId, account }: CoreIdClaimRow): Promise<CoreIdDetails> {
    const { coreIds } = this.parts.models;
    const own = await coreIds.findOne({ holderId }).lean<CoreIdClaimRow>();
    if (own !== null) return this.#details(own);
    if (await coreIds.exists({ account })) throw new DomainError('CONFLICT', 'The account has a core id already.');
    const isTaken = (await coreIds.exists({ _id })) !== null;
    throw new DomainError(
      'CONFLICT',
      isTaken ? 'This name is taken.' : 'Another request changed this at the same time; try again.',
      {
        field: 'name',
      },
    );
  }

  #details({ _id: node, name, minted, chainId }: CoreIdClaimRow): CoreIdDetails {
    const id = tokenIdOf(node);
    const imageUrl = `${this.parts.publicUrl}/v1/core-ids/${id}/image.svg`;
    return { id, ...(name ? { name } : {}), node, status: minted ? 'minted' : 'minting', chainId, imageUrl };
  }
}

const nodeIn = ({ args }: JobRow): string => String(args.node);

// Smart accounts of holders (contract §21): their addresses, and their deployment by the relayer.
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import type { HolderCaller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import { MAJORITY } from '../base/mongodb/majority.js';
import { type Chain, chainUnavailable, type Hex } from '../chain/chain.service.js';
import type { ChainOutbox, JobHandler } from '../chain/outbox.service.js';
import { accountIn, type HolderAccount } from '../holders/holder-accounts.service.js';
import type { Holders } from '../holders/holders.service.js';
import type { AccountModels } from './models.js';
import type { Payer, Sponsorship } from './sponsorship.js';
import type { AccountDeployment, SmartAccount } from './types.js';

export interface AccountsParts {
  connection: Connection;
  models: AccountModels;
  chain: Chain;
  outbox: ChainOutbox;
  holders: Holders;
  sponsorship: Sponsorship;
}

/** Gas limit: more than a deployment needs. */
const DEPLOYMENT_GAS = 155_000;

/** Shows and deploys the smart accounts of holders. */
export class Accounts {
  constructor(private readonly parts: AccountsParts) {}

  /** When the job ends, gas that it did not use is returned to the budget. */
  readonly handler: JobHandler = {
    confirmed: (job, _facts, session) => this.parts.sponsorship.returnUnused(job, session),
    failed: (job, _message, session) => this.parts.sponsorship.returnUnused(job, session),
  };

  /** The caller's account, or null. @throws DomainError CHAIN_UNAVAILABLE when there is a chain but it does not respond. */
  async view(caller: HolderCaller): Promise<SmartAccount | null> {
    const { chain, holders } = this.parts;
    const account = accountIn(await holders.own(caller));
    if (account === undefined) return null;
    if (!chain.isConfigured) return { ...account, chainId: null, deployed: false };
    return { ...account, chainId: chain.chainId, deployed: await this.isDeployed(account) };
  }

  /** Whether there is code at an account. @throws DomainError CHAIN_UNAVAILABLE. */
  isDeployed({ address }: HolderAccount): Promise<boolean> {
    return this.parts.chain.hasCode(address as Hex);
  }

  /**
   * Has the relayer deploy the caller's account; the session's partner pays. If a deployment is in progress, that one is returned.
   * @throws DomainError CONFLICT (no wallet, deployed already), CHAIN_UNAVAILABLE, FORBIDDEN and RATE_LIMITED (policy of the partner).
   */
  async deploy(caller: HolderCaller): Promise<AccountDeployment> {
    const { chain, outbox, sponsorship } = this.parts;
    if (!chain.isConfigured) throw chainUnavailable();
    const jobId = await sponsorship.admit(caller.partnerId ?? '', () => this.#jobOf(caller));
    const { txHash, state, errorMessage } = await outbox.signed(jobId);
    if (state === 'failed' && txHash === null)
      throw new DomainError('CONFLICT', errorMessage ?? 'The deployment failed.');
    return { txHash, jobId };
  }

  /** The job that deploys the caller's account: the one in progress, or a new one. */
  async #jobOf(caller: HolderCaller): Promise<string> {
    const { chain, holders, sponsorship } = this.parts;
    const account = accountIn(await holders.own(caller));
    if (account === undefined) throw noWallet();
    if (await chain.hasCode(account.address as Hex))
      throw new DomainError('CONFLICT', 'The account is deployed already.');
    return (await this.#jobInProgress(account)) ?? this.#begin(caller, account, await sponsorship.payerOf(caller));
  }

  #key({ address }: HolderAccount): string {
    return `${this.parts.chain.chainId} ${address}`;
  }

  async #jobInProgress(account: HolderAccount): Promise<string | undefined> {
    const row = await this.parts.models.deployments.findById(this.#key(account)).lean();
    return row !== null && (await this.#isOpen(row.jobId)) ? row.jobId : undefined;
  }

  async #isOpen(jobId: string): Promise<boolean> {
    const job = await this.parts.outbox.find(jobId);
    return job !== null && job.state !== 'failed';
  }

  /** Writes the job, unless a concurrent request has written it. All of them return the same job. */
  async #begin({ holderId }: HolderCaller, account: HolderAccount, payer: Payer): Promise<string> {
    const { connection, models, outbox, sponsorship } = this.parts;
    const _id = this.#key(account);
    const reservation = { holderId, uses: ['deploys'], gas: DEPLOYMENT_GAS } as const;
    const write = async (session: ClientSession): Promise<string> => {
      const row = await models.deployments.findById(_id, null, { session }).lean();
      if (row !== null && (await this.#isOpen(row.jobId))) return row.jobId;
      const jobId = randomUUID();
      await models.deployments.updateOne({ _id }, { $set: { jobId } }, { upsert: true, session });
      await sponsorship.reserve(payer, { jobId, ...reservation }, session);
      const { partnerId } = payer;
      const args = { owner: account.owner as Hex };
      await outbox.put({ jobId, kind: 'account', args, holderId, partnerId, gasLimit: DEPLOYMENT_GAS }, session);
      return jobId;
    };
    return sponsorship.runReservation(payer, reservation, () => connection.transaction(write, MAJORITY));
  }
}

export const noWallet = () => new DomainError('CONFLICT', 'There is no wallet yet: register one first.');

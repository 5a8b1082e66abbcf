// Signs and sends jobs: a queued job gets a nonce and bytes, which are stored before they are sent. Unmined transactions are sent again, with
// higher fees if needed (contract §20).

import type { ChainConfig } from '../base/config/chain-config.js';
import { ask, type Hex, NODE, NodeRefused, type Rpc } from '../evm/rpc.js';
import type { Checkpoint } from '../store/lease.js';
import { callOf } from './calls.js';
import { currentFees, type Fees, raisedFees } from './fees.js';
import { dueAt, feesOf, type JobSteps, UNDER_WAY } from './job-steps.js';
import type { ChainLink, Transaction } from './link.js';
import type { Attempt, ChainModels, JobKind, JobRow } from './models.js';
import type { SenderState } from './sender-state.js';
import { earlierReceiptOf, type Head } from './survey.js';

export interface SignerParts {
  models: ChainModels;
  steps: JobSteps;
  config: ChainConfig;
  clock(): number;
  onError(error: unknown): void;
}

/** The sender's state in one round. */
export interface SenderPosition {
  link: ChainLink;
  head: Head;
  checkpoint: Checkpoint<SenderState>;
  /** Its nonce advances as jobs are signed. */
  state: SenderState;
}

/** The most unconfirmed transactions at a time. */
const MAX_UNCONFIRMED = 16;
const SEND_AGAIN_MS = 15_000;
const RAISE_AFTER_MS = { devnet: 5_000, rpc: 30_000, none: 0 } as const;
const TRANSFER_GAS = 21_000n;
/** What prevents sending: the relayer has too little money. */
const NO_MONEY = 'no money';

/** Signs and sends the transactions of jobs. */
export class TransactionSigner {
  /** When each job was sent last by this process. */
  readonly #sentAt = new Map<string, number>();
  /** The empty transfer for a nonce without a job. */
  #filler: { nonce: number; fees: Fees; at: number } | undefined;

  constructor(private readonly parts: SignerParts) {}

  /** Sends unmined transactions again, with higher fees if they wait too long. Returns what prevents sending, if anything. @throws LeaseLost, ChainUnreachable. */
  async followUp(at: SenderPosition): Promise<string | undefined> {
    const { models, clock, config } = this.parts;
    const filter = {
      open: true,
      state: { $in: [...UNDER_WAY] },
      chainId: at.link.chainId,
      relayer: at.link.relayer,
      nonce: { $gte: at.head.nonce },
    };
    const jobs = await models.jobs.find(filter).sort({ nonce: 1 }).limit(MAX_UNCONFIRMED).lean<JobRow[]>();
    const gap = jobs[0]?.nonce === at.head.nonce ? undefined : await this.#fillGap(at);
    if (gap !== undefined) return gap;
    for (const job of jobs) {
      const signedAt = job.attempts.at(-1)?.at.getTime() ?? 0;
      if (job.givenUp && !job.attempts.some(({ empty }) => empty)) await this.#signAgain(at, job);
      else if (clock() - signedAt >= RAISE_AFTER_MS[config.kind]) await this.#signAgain(at, job);
      const trouble = await this.#sendWhenDue(at, job);
      if (trouble !== undefined) return trouble;
    }
    if (jobs.length === 0) this.#sentAt.clear();
    return undefined;
  }

  /**
   * Sends an empty transfer with the next nonce if no job has this nonce, because its job was deleted or queued again.
   * Until the nonce is used, no later one can be mined. Returns what prevents sending, if the operator must act.
   */
  async #fillGap({ link, head, state, checkpoint }: SenderPosition): Promise<string | undefined> {
    const { models, config } = this.parts;
    const { nonce } = head;
    const { chainId, relayer, rpc } = link;
    if (nonce >= state.nonce || (await models.jobs.exists({ chainId, relayer, nonce }))) return undefined;
    const before = this.#filler?.nonce === nonce ? this.#filler : undefined;
    const now = performance.now();
    if (before !== undefined && now - before.at < SEND_AGAIN_MS) return undefined;
    const current = await currentFees(rpc, head.block, config.maxFee);
    const fees = before === undefined ? current : (raisedFees(before.fees, current, config.maxFee) ?? before.fees);
    const { raw } = await link.sign({ to: relayer, data: '0x', nonce, gas: TRANSFER_GAS, ...fees });
    await checkpoint.hold();
    this.#filler = { nonce, fees, at: now };
    return this.#sendRaw(rpc, raw);
  }

  /** Signs and sends queued jobs. Returns what prevents sending, if anything. @throws LeaseLost, ChainUnreachable. */
  async signQueued(at: SenderPosition, kinds: readonly JobKind[]): Promise<string | undefined> {
    const { models, clock } = this.parts;
    const busy = await models.jobs.countDocuments({ open: true, state: { $in: ['signed', 'sent', 'mined'] } });
    const filter = { open: true, state: 'queued' as const, kind: { $in: [...kinds] }, ...dueAt(clock()) };
    const limit = MAX_UNCONFIRMED - busy;
    if (limit <= 0) return undefined;
    const jobs = await models.jobs.find(filter).sort({ createdAt: 1, _id: 1 }).limit(limit).lean<JobRow[]>();
    if (jobs.length === 0) return undefined;
    const fees = await currentFees(at.link.rpc, at.head.block, this.parts.config.maxFee);
    for (const job of jobs) {
      const trouble = await this.#signFirst(at, job, fees);
      if (trouble !== undefined) return trouble;
    }
    return undefined;
  }

  async #signFirst(at: SenderPosition, job: JobRow, fees: Fees): Promise<string | undefined> {
    const { link, state, checkpoint } = at;
    const call = await callOf(job, link.contracts);
    const gas = await this.#simulated(link, job, call);
    if (gas === undefined) return undefined;
    const { nonce } = state;
    const attempt = await this.#attempt(link, { ...call, ...fees, nonce, gas });
    const next = { ...state, nonce: nonce + 1 };
    const isOurs = await this.parts.steps.signed(
      job,
      { chainId: link.chainId, relayer: link.relayer, nonce, attempt },
      (session) => checkpoint.advance(next, session),
    );
    if (!isOurs) return undefined;
    state.nonce = next.nonce;
    return this.#send(link, { ...job, state: 'signed', attempts: [attempt] });
  }

  /** The gas for a call; undefined if it is refused. Then the job ends without using a nonce, or is retried later. */
  async #simulated(link: ChainLink, job: JobRow, { to, data }: { to: Hex; data: Hex }): Promise<bigint | undefined> {
    const { steps } = this.parts;
    try {
      const gas = await ask(link.rpc, NODE.quantity, 'eth_estimateGas', [{ from: link.relayer, to, data }]);
      if (job.gasLimit === undefined || gas <= job.gasLimit) return withReserve(gas, job);
      await steps.failed(job, 'The call needs more gas than was reserved for it.');
      return undefined;
    } catch (error) {
      if (!(error instanceof NodeRefused)) throw error;
      if (!error.reverted) {
        this.parts.onError(new Error(`The node does not simulate the job ${job._id}.`, { cause: error }));
        await steps.retriedLater(job, 'The node does not simulate the call.');
        return undefined;
      }
      const receipt = await earlierReceiptOf(link.rpc, job);
      if (receipt !== undefined && (await steps.mined(job, receipt, link.chainId))) return undefined;
      this.parts.onError(error);
      if (job.kind === 'anchor') await steps.retriedLater(job, 'The contract refuses the anchor.');
      else await steps.failed(job, 'The contract refuses the call.');
      return undefined;
    }
  }

  async #signAgain(at: SenderPosition, job: JobRow): Promise<void> {
    const { link, checkpoint, head } = at;
    const { config, steps } = this.parts;
    const fees = raisedFees(feesOf(job), await currentFees(link.rpc, head.block, config.maxFee), config.maxFee);
    if (fees === undefined) return;
    const { nonce = 0 } = job;
    const call = job.givenUp ? { to: link.relayer, data: '0x' as Hex } : await callOf(job, link.contracts);
    const gas = job.givenUp ? TRANSFER_GAS : await this.#gasAgain(link, job, call);
    const attempt = await this.#attempt(link, { ...call, ...fees, nonce, gas });
    if (job.givenUp) attempt.empty = true;
    const isOurs = await steps.signedAgain(job, attempt, (session) => checkpoint.hold(session));
    if (!isOurs) return;
    job.attempts.push(attempt);
    this.#sentAt.delete(job._id);
  }

  /** The gas for a call that was signed before. If it now reverts, the gas limit is used: the chain decides how it ends. */
  async #gasAgain(link: ChainLink, job: JobRow, { to, data }: { to: Hex; data: Hex }): Promise<bigint> {
    const call = [{ from: link.relayer, to, data }];
    return ask(link.rpc, NODE.quantity, 'eth_estimateGas', call).then(
      (gas) => withReserve(gas, job),
      () => BigInt(job.gasLimit ?? 500_000),
    );
  }

  async #attempt(link: ChainLink, transaction: Transaction): Promise<Attempt> {
    const { raw, hash } = await link.sign(transaction);
    const { maxFeePerGas, maxPriorityFeePerGas } = transaction;
    return {
      hash,
      raw,
      maxFeePerGas: maxFeePerGas.toString(),
      maxPriorityFeePerGas: maxPriorityFeePerGas.toString(),
      at: new Date(this.parts.clock()),
    };
  }

  async #sendWhenDue(at: SenderPosition, job: JobRow): Promise<string | undefined> {
    const sentAt = this.#sentAt.get(job._id) ?? Number.NEGATIVE_INFINITY;
    return performance.now() - sentAt >= SEND_AGAIN_MS ? this.#send(at.link, job) : undefined;
  }

  /** Sends the newest bytes of a job. Returns what prevents it, if the operator must act. */
  async #send({ rpc }: ChainLink, job: JobRow): Promise<string | undefined> {
    this.#sentAt.set(job._id, performance.now());
    const trouble = await this.#sendRaw(rpc, job.attempts.at(-1)?.raw);
    if (trouble === undefined && job.state === 'signed') await this.parts.steps.sent(job);
    return trouble;
  }

  async #sendRaw(rpc: Rpc, raw: Hex | undefined): Promise<string | undefined> {
    try {
      await rpc('eth_sendRawTransaction', [raw]);
    } catch (error) {
      if (!(error instanceof NodeRefused)) throw error;
      if (/insufficient funds/i.test(error.message)) return NO_MONEY;
      // The node may already have it, or its nonce may be used, which the next round finds out. Fees that are too low
      // are raised later.
      if (!/already|known|nonce too low|underpriced|fee/i.test(error.message)) this.parts.onError(error);
    }
    return undefined;
  }
}

/** The estimate plus a quarter, up to the job's limit. */
function withReserve(gas: bigint, { gasLimit }: JobRow): bigint {
  const reserved = (gas * 5n) / 4n;
  return gasLimit === undefined || reserved <= gasLimit ? reserved : BigInt(gasLimit);
}

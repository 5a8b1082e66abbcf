// Checks sent jobs on the chain: mined, deep enough, gone, or with a nonce that another transaction has used (contract §20).

import type { ClientSession } from 'mongoose';
import { ask, type Block, ChainUnreachable, NODE, type Receipt, type Rpc } from '../evm/rpc.js';
import { type JobSteps, UNDER_WAY } from './job-steps.js';
import type { ChainLink } from './link.js';
import type { ChainModels, JobKind, JobRow, JobState } from './models.js';
import { GIVEN_UP } from './story.js';

/** The head of the chain, as the relayer sees it. */
export interface Head {
  block: Block;
  /** The number of the relayer's mined transactions, which is the next nonce to be mined. */
  nonce: number;
}

/** Confirmed jobs are watched until they are this deep. */
const WATCH_BLOCKS = 64;
const BATCH = 200;
const IN_BLOCKS: JobState[] = ['mined', 'confirmed', 'failed'];
const WATCHED = 2_000;
/**
 * Kinds whose calls are valid only on the chain for which they were signed: deployments of its contracts, and user
 * operations.
 */
const OF_ONE_CHAIN: readonly JobKind[] = ['deploy', 'allow', 'metadata', 'operation'];
/** How many transactions from before a job was queued again are checked. */
const EARLIER = 16;

/** Reads the head of the chain. @throws ChainUnreachable when the node does not respond. */
export async function headOf({ rpc, relayer }: ChainLink): Promise<Head> {
  // The nonce is read first, so that the block contains all the transactions that it counts.
  const nonce = await ask(rpc, NODE.number, 'eth_getTransactionCount', [relayer, 'latest']);
  const block = await ask(rpc, NODE.block, 'eth_getBlockByNumber', ['latest', false]);
  if (block === null) throw new ChainUnreachable('The chain has no newest block.');
  return { block, nonce };
}

export interface SurveyParts {
  models: ChainModels;
  steps: JobSteps;
  confirmations: number;
  /** Added to the transactions that queue jobs again. @throws LeaseLost if another process is the sender now. */
  held(session: ClientSession): Promise<void>;
  /** Called for confirmed jobs whose block is gone. */
  onGone(job: JobRow): void;
}

/** Compares sent jobs with the chain, and changes their states. */
export class Survey {
  constructor(
    private readonly link: ChainLink,
    private readonly parts: SurveyParts,
  ) {}

  /** Checks all pending jobs. Returns those whose nonce another transaction has used. */
  async run(head: Head): Promise<JobRow[]> {
    await this.#lost(head);
    const foreign = await this.#underWay(head);
    await this.#mined(head);
    return foreign;
  }

  /** Ends or requeues open jobs that were signed for another chain or by another key: no sender follows their transactions. */
  async strays(): Promise<void> {
    const { models, steps } = this.parts;
    const { chainId, relayer } = this.link;
    const elsewhere = { chainId: { $ne: chainId } };
    const filter = {
      open: true,
      $or: [
        { state: { $in: [...UNDER_WAY, 'mined' as const] }, ...elsewhere },
        { state: { $in: [...UNDER_WAY] }, chainId, relayer: { $ne: relayer } },
      ],
    };
    for (const job of await models.jobs.find(filter).limit(BATCH).lean<JobRow[]>()) await this.#endOrRequeue(job);
    const watched = models.jobs.find({ watched: true, ...elsewhere }).limit(WATCHED);
    for (const job of await watched.lean<JobRow[]>()) await steps.unwatched(job);
  }

  async #endOrRequeue(job: JobRow): Promise<void> {
    const { steps, held } = this.parts;
    if (job.chainId === this.link.chainId) await steps.requeued(job, 'queued again: another key has signed it', held);
    else if (job.givenUp) await steps.failed(job, GIVEN_UP, held);
    else if (OF_ONE_CHAIN.includes(job.kind))
      await steps.failed(job, 'It was for a chain that is no longer used.', held);
    else await steps.requeued(job, 'queued again: it was for another chain', held);
  }

  /** Checks jobs that were confirmed in the last blocks. */
  async watched({ block }: Head): Promise<void> {
    const filter = { watched: true, chainId: this.link.chainId };
    const rows = this.parts.models.jobs.find(filter).sort({ blockNumber: 1 }).limit(WATCHED).lean<JobRow[]>();
    const hashes = new Map<number, string | undefined>();
    for (const job of await rows) {
      const { blockNumber = 0 } = job;
      if (!hashes.has(blockNumber)) hashes.set(blockNumber, await this.#hashOf(blockNumber));
      if (hashes.get(blockNumber) !== job.blockHash) await this.#moved(job);
      else if (block.number - blockNumber >= WATCH_BLOCKS) await this.parts.steps.unwatched(job);
    }
  }

  async #moved(job: JobRow): Promise<void> {
    const receipt = await this.#receiptOf(job);
    if (receipt) await this.parts.steps.moved(job, receipt);
    else await this.#gone(job);
  }

  /** Jobs that this relayer signed for this chain. */
  get #signed() {
    const { chainId, relayer } = this.link;
    return { chainId, relayer };
  }

  /** Handles jobs whose blocks are gone from the chain: their nonces are free again. */
  async #lost({ nonce }: Head): Promise<void> {
    const filter = { ...this.#signed, nonce: { $gte: nonce }, state: { $in: IN_BLOCKS } };
    const rows = await this.parts.models.jobs.find(filter).sort({ nonce: 1 }).limit(BATCH).lean<JobRow[]>();
    // The block may only seem gone, because this node lags behind the one that responded before.
    for (const job of rows) if (!(await this.#isMined(job))) await this.#gone(job);
  }

  async #underWay({ nonce }: Head): Promise<JobRow[]> {
    const { models, steps } = this.parts;
    const filter = { ...this.#signed, nonce: { $lt: nonce }, state: { $in: [...UNDER_WAY] }, open: true };
    const foreign: JobRow[] = [];
    for (const job of await models.jobs.find(filter).sort({ nonce: 1 }).limit(BATCH).lean<JobRow[]>()) {
      const receipt = await this.#receiptOf(job);
      if (receipt) await steps.mined(job, receipt);
      else foreign.push(job);
    }
    return foreign;
  }

  async #mined({ block }: Head): Promise<void> {
    const { models, steps, confirmations } = this.parts;
    const filter = { open: true, state: 'mined' as const, chainId: this.link.chainId };
    for (const job of await models.jobs.find(filter).sort({ nonce: 1 }).limit(BATCH).lean<JobRow[]>()) {
      const receipt = await this.#receiptOf(job);
      if (!receipt) await this.#gone(job);
      else if (receipt.blockHash !== job.blockHash) await steps.mined(job, receipt);
      else if (block.number - receipt.blockNumber + 1 >= confirmations) await steps.ended(job, this.link);
    }
  }

  async #gone(job: JobRow): Promise<void> {
    if ((await this.parts.steps.gone(job)) && job.state === 'confirmed') this.parts.onGone(job);
  }

  async #isMined(job: JobRow): Promise<boolean> {
    return (await this.#receiptOf(job)) !== undefined;
  }

  #receiptOf(job: JobRow): Promise<Receipt | undefined> {
    return receiptOf(this.link.rpc, job);
  }

  async #hashOf(number: number): Promise<string | undefined> {
    const block = await ask(this.link.rpc, NODE.block, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
    return block?.hash;
  }
}

/**
 * The receipt of the newest mined transaction of a job. Transactions from before it was queued again count only if they
 * succeeded.
 */
async function receiptOf(rpc: Rpc, job: JobRow): Promise<Receipt | undefined> {
  for (const { hash } of job.attempts.toReversed()) {
    const receipt = await ask(rpc, NODE.receipt, 'eth_getTransactionReceipt', [hash]);
    if (receipt?.transactionHash !== hash) continue;
    // The second of two transactions may have been refused because the first one took effect.
    return receipt.status === '0x1' ? receipt : ((await earlierReceiptOf(rpc, job)) ?? receipt);
  }
  return earlierReceiptOf(rpc, job);
}

/** The receipt of a successful transaction from before a job was queued again. */
export async function earlierReceiptOf(rpc: Rpc, { earlier = [] }: JobRow): Promise<Receipt | undefined> {
  for (const hash of earlier.slice(-EARLIER).toReversed()) {
    const receipt = await ask(rpc, NODE.receipt, 'eth_getTransactionReceipt', [hash]);
    if (receipt?.transactionHash === hash && receipt.status === '0x1') return receipt;
  }
  return undefined;
}

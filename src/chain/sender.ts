// The sender: elected among the gateways, it turns the jobs of the outbox into transactions and follows them to their end (contract §20).
import type { ClientSession } from 'mongoose';
import type { Bell } from '../base/concurrency/bell.js';
import type { Worker } from '../base/concurrency/worker.js';
import type { ChainConfig } from '../base/config/chain-config.js';
import type { ProblemReport } from '../base/monitoring/problems.js';
import { ChainUnreachable } from '../evm/rpc.js';
import type { Elections } from '../store/election.js';
import { type Checkpoint, LeaseLost, pause, type Term } from '../store/lease.js';
import { untilDue } from '../store/poll-due.js';
import type { Deployments } from './deployments.js';
import { dueAt, type JobSteps, UNDER_WAY } from './job-steps.js';
import type { ChainLink } from './link.js';
import type { ChainModels, JobRow } from './models.js';
import { type SenderState, senderCheckpoint } from './sender-state.js';
import { TransactionSigner } from './sign-and-send.js';
import { type Head, headOf, Survey } from './survey.js';

export interface SenderParts {
  elections: Elections;
  models: ChainModels;
  config: ChainConfig;
  steps: JobSteps;
  deployments: Deployments;
  problems: ProblemReport;
  clock(): number;
  /** Connects to the chain, starting the devnet. @throws ChainUnreachable. */
  link(): Promise<ChainLink>;
  /** Drops a link that does not respond. */
  unlink(): void;
  /** Adds waiting work, such as anchors, to the outbox; called before each round. Returns when there may be more, by the monotonic clock, if ever. */
  gather(term: Term): Promise<number | undefined>;
  /** Rung when jobs are added, and when work waits. */
  bell: Bell;
  onError(error: unknown): void;
  onGone(job: JobRow): void;
}

/** What happens between two rounds: a pause, or a wait for the bell or the next due time. */
type Between = { ms: number } | { dueAt: number | undefined };

/** The pause between two rounds with work, milliseconds. A devnet is on this machine and mines at once. */
const BUSY_MS = { devnet: 20, rpc: 1_000, none: 0 } as const;
/** The pause while the chain does not respond. */
const UNREACHABLE: Between = { ms: 2_000 };
/** How often confirmed jobs are checked. */
const WATCH_MS = 15_000;
/** How long a used nonce without a receipt may be explained by a lagging node, milliseconds. */
const LAG_MS = { devnet: 2_000, rpc: 15_000, none: 0 } as const;
const STOPPED = `The relayer's key was used by somebody else: nothing is sent to the chain until "cli chain resume" is run.`;

/** The election of the sender. */
export function chainSender(parts: SenderParts): Worker {
  const work = async (term: Term): Promise<void> => {
    const sender = new Sender(term, parts);
    while (!term.signal.aborted) {
      const since = parts.clock();
      const between = await sender.round();
      if ('ms' in between) await pause(between.ms, term.signal);
      else await untilDue(between.dueAt, { ...parts, since, signal: term.signal });
    }
  };
  return parts.elections.elect('chain', work);
}

class Sender {
  #watchedAt = Number.NEGATIVE_INFINITY;
  #foreignSince: number | undefined;
  #linked = false;
  #checkpoint: Checkpoint<SenderState> | undefined;
  readonly #signer: TransactionSigner;

  constructor(
    private readonly term: Term,
    private readonly parts: SenderParts,
  ) {
    this.#signer = new TransactionSigner(parts);
  }

  /** One round. Returns how to wait before the next one. @throws LeaseLost. */
  async round(): Promise<Between> {
    const { problems, unlink, onError } = this.parts;
    const { kind } = this.parts.config;
    try {
      const gatherAt = await this.parts.gather(this.term);
      const isDue = await this.#isJobDue();
      if (!isDue && !this.#isWatchPossible) return { dueAt: await this.#nextDue(gatherAt) };
      const isRunning = await this.#work();
      problems.clear('chain-away');
      if (!isRunning) return UNREACHABLE;
      return isDue ? { ms: BUSY_MS[kind] } : { dueAt: await this.#nextDue(gatherAt) };
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      if (error instanceof ChainUnreachable) problems.raise('chain-away', { note: error.message, cause: error.cause });
      else onError(error);
      this.#linked = false;
      unlink();
      return UNREACHABLE;
    }
  }

  /** Whether a job can be sent or followed now. A job whose retry is not due yet cannot. */
  async #isJobDue(): Promise<boolean> {
    const { models, clock } = this.parts;
    return (await models.jobs.exists({ open: true, ...dueAt(clock()) })) !== null;
  }

  /** The next time when something is due: a retry, more gathered work, or the check of confirmed jobs. */
  async #nextDue(gatherAt: number | undefined): Promise<number | undefined> {
    const { models, clock } = this.parts;
    const later = { open: true, notBefore: { $gt: new Date(clock()) } };
    const first = models.jobs.findOne(later, { notBefore: 1 }).sort({ notBefore: 1 });
    const times = [(await first.lean<Pick<JobRow, 'notBefore'>>())?.notBefore?.getTime()];
    if (gatherAt !== undefined) times.push(clock() + gatherAt - performance.now());
    if (this.#watches) times.push(clock() + WATCH_MS - (performance.now() - this.#watchedAt));
    return times.reduce((least, time) => (least === undefined || (time !== undefined && time < least) ? time : least));
  }

  /** Whether confirmed jobs are checked now. */
  get #isWatchPossible(): boolean {
    return this.#watchIsDue && this.#watches;
  }

  /** Whether confirmed jobs are checked. A devnet is not started only for that. */
  get #watches(): boolean {
    return this.#linked || this.parts.config.kind === 'rpc';
  }

  get #watchIsDue(): boolean {
    return performance.now() - this.#watchedAt >= WATCH_MS;
  }

  /** Follows and sends jobs. Returns false when the sender is stopped. */
  async #work(): Promise<boolean> {
    const { config, models } = this.parts;
    const link = await this.parts.link();
    this.#linked = true;
    const head = await headOf(link);
    const checkpoint = await this.#open(link);
    const state = await this.#stateAt(checkpoint, link, head);
    const held = heldBy(checkpoint);
    const survey = new Survey(link, { ...this.parts, held, confirmations: config.confirmations });
    const foreign = await survey.run(head);
    // Due in the first round of a term, and again later: a reorganisation may bring back a job of a former key.
    if (this.#watchIsDue) {
      await survey.strays();
      await survey.watched(head);
      this.#watchedAt = performance.now();
    }
    await models.chains.updateOne({ _id: String(link.chainId) }, { $set: { blockNumber: head.block.number } });
    if (await this.#isStopped(checkpoint, state, foreign, head)) return false;
    await this.#send({ link, head, checkpoint, state });
    return true;
  }

  async #send(at: {
    link: ChainLink;
    head: Head;
    checkpoint: Checkpoint<SenderState>;
    state: SenderState;
  }): Promise<void> {
    const { deployments, problems } = this.parts;
    const kinds = await deployments.kindsToSign(at.link);
    const trouble = (await this.#signer.followUp(at)) ?? (await this.#signer.signQueued(at, kinds));
    if (trouble !== undefined) problems.raise('chain-no-money');
    else problems.clear('chain-no-money');
  }

  async #open({ chainId, relayer }: ChainLink): Promise<Checkpoint<SenderState>> {
    this.#checkpoint ??= await this.term.checkpoint<SenderState>(senderCheckpoint(chainId, relayer));
    return this.#checkpoint;
  }

  /** The sender's state. It is read from the chain the first time, and when the operator lets the sender continue. */
  async #stateAt(checkpoint: Checkpoint<SenderState>, link: ChainLink, head: Head): Promise<SenderState> {
    const state = await checkpoint.state();
    if (state !== undefined && !state.resume) return state;
    // Queues jobs again whose nonces belong to another sender now. Contracts ignore a repeated call.
    if (state) await this.#requeue(checkpoint, { open: true, state: { $in: [...UNDER_WAY] }, chainId: link.chainId });
    const fresh = { nonce: head.nonce };
    await checkpoint.advance(fresh);
    this.#foreignSince = undefined;
    return fresh;
  }

  async #requeue(checkpoint: Checkpoint<SenderState>, filter: object): Promise<void> {
    const rows = await this.parts.models.jobs.find(filter).lean<JobRow[]>();
    const why = 'queued again: its nonce is no longer its own';
    for (const job of rows) await this.parts.steps.requeued(job, why, heldBy(checkpoint));
  }

  /** Whether the sender has stopped because another sender has used its key. A lagging node without a receipt is no reason to stop. */
  async #isStopped(
    checkpoint: Checkpoint<SenderState>,
    state: SenderState,
    foreign: readonly JobRow[],
    head: Head,
  ): Promise<boolean> {
    const { problems, config } = this.parts;
    if (state.stopped === undefined) {
      if (foreign.length === 0) this.#foreignSince = undefined;
      else this.#foreignSince ??= performance.now();
      const since = this.#foreignSince;
      const isForeign = since !== undefined && performance.now() - since >= LAG_MS[config.kind];
      if (!isForeign && head.nonce <= state.nonce) {
        problems.clear('chain-key-used');
        return since !== undefined;
      }
      await checkpoint.advance({ ...state, stopped: STOPPED });
    }
    problems.raise('chain-key-used');
    return true;
  }
}

/** Makes a transaction commit only while this sender is the elected one. @throws LeaseLost. */
const heldBy =
  (checkpoint: Checkpoint<SenderState>) =>
  (session: ClientSession): Promise<void> =>
    checkpoint.hold(session);

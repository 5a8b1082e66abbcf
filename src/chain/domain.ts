// The parts of the chain domain. Domains that add jobs register handlers for the ends of these jobs.
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { Bell } from '../base/concurrency/bell.js';
import type { Worker } from '../base/concurrency/worker.js';
import type { Config } from '../base/config/config.js';
import type { Retention } from '../base/config/retention-config.js';
import type { PartCheck, ProblemReport } from '../base/monitoring/problems.js';
import type { Core } from '../compose/domain.js';
import { guardedFetch } from '../http/outbound/guarded-fetch.js';
import type { SealedField } from '../keys/sealed-field.js';
import type { RetentionRule } from '../store/retention.js';
import { Anchors } from './anchors.service.js';
import { anvilPath } from './anvil.js';
import { Chain } from './chain.service.js';
import { jobCheck, measureChain } from './chain-metrics.js';
import { Deployments } from './deployments.js';
import { Devnet } from './devnet.js';
import { chainJobEraser } from './forget.js';
import type { JobHandlers } from './job-handlers.js';
import { JobSteps } from './job-steps.js';
import { chainModels } from './models.js';
import { chainOperations } from './operations.js';
import { ChainOutbox } from './outbox.service.js';
import { chainSender } from './sender.js';
import { ContractSignatures } from './signatures.service.js';
import { metadataHandler } from './token-metadata.js';
import { ChainTransactions } from './transactions.js';

export interface ChainServices {
  chain: Chain;
  outbox: ChainOutbox;
  anchors: Anchors;
  transactions: ChainTransactions;
  contractSignatures: ContractSignatures;
}

/** How long it is said that confirmed blocks are gone, milliseconds. */
const GONE_MS = 3_600_000;
/** How long waiting rows are collected before the sender is woken, milliseconds. */
const GATHER_MS = 500;

/** The devnet of a configuration; undefined if there is another chain, or anvil is not installed. */
export function devnetOf(config: Config, onNotice: (sentence: string) => void): Devnet | undefined {
  const program = config.chain.kind === 'devnet' ? anvilPath() : undefined;
  if (program === undefined) return undefined;
  const folder = join(config.dataDir, 'chain');
  return new Devnet({ program, folder, chainId: config.chain.chainId, fetch: toNode(), onNotice });
}

/** The operator may choose a node on this machine, also in production (contract §18). */
const toNode = () => guardedFetch({ allowLoopback: true });

/** The chain's parts are loaded and started only when they are needed. */
function chainServices(core: Core): ChainServices {
  const { config, connection, box, recordWrites, clock, problems, metrics } = core;
  const models = chainModels(connection);
  core.erasers.add(chainJobEraser(connection));
  const devnet = devnetOf(config, () => problems.raise('chain-devnet-anew'));
  const isMissing = config.chain.kind === 'devnet' && devnet === undefined;
  if (isMissing) problems.raise('chain-no-devnet');
  const settings = isMissing ? { ...config.chain, kind: 'none' as const } : config.chain;
  const handlers: JobHandlers = {};
  // Ended jobs of a devnet are not deleted, because its chain may have to be rebuilt from them.
  const retentionMs = settings.kind === 'devnet' ? undefined : config.retention.chainJobMs;
  const steps = new JobSteps({ connection, models, handlers, retentionMs, clock });
  const outbox = new ChainOutbox({ models, steps, handlers, recordWrites, clock });
  const anchors = new Anchors({ connection, models, outbox, intervalMs: settings.anchorIntervalMs, clock });
  outbox.handle('anchor', anchors.handler);
  outbox.handle('metadata', metadataHandler(models));
  const chain = new Chain({ config: settings, models, box, devnet, fetch: toNode() });
  if (chain.isConfigured) measureChain(metrics, models, chain);
  return {
    chain,
    outbox,
    anchors,
    transactions: new ChainTransactions(models, chain),
    contractSignatures: new ContractSignatures(chain),
  };
}

/** The sender, for which every process is a candidate; none without a chain. When it stops, it stops the devnet that it started. */
function chainWorkers(core: Core, { chain, outbox, anchors }: ChainServices): Worker[] {
  if (!chain.isConfigured) return [];
  const { connection, changes, elections, clock, onError, problems, config } = core;
  const models = chainModels(connection);
  const bell = new Bell();
  const ring = (): void => bell.ring();
  changes.listen([models.jobs.collection.name], {
    ignores: ['delete'],
    onlyUpdatesOf: ['open'],
    changed: ring,
    interrupted: ring,
  });
  const ringSoon = soon(ring);
  for (const { collection, waiting } of anchors.rows) {
    const rows = { ignores: ['delete'], onlyUpdatesOf: [waiting] } as const;
    changes.listen([collection], { ...rows, changed: ringSoon, interrupted: ring });
  }
  const parts = { config: config.chain, publicUrl: config.publicUrl, models, outbox, problems };
  const deployments = new Deployments(parts);
  const sender = chainSender({
    elections,
    models,
    config: config.chain,
    steps: outbox.steps,
    deployments,
    problems,
    clock,
    link: () => chain.link(),
    unlink: () => chain.unlink(),
    gather: async (term) => {
      await deployments.gather();
      return anchors.gather(term);
    },
    bell,
    onError,
    // A devnet is reset on purpose.
    onGone: config.chain.kind === 'devnet' ? () => {} : goneBlocks(problems),
  });
  const stop = async (): Promise<void> => {
    await sender.stop();
    await chain.close();
  };
  return [{ start: () => startSender(core, chain, sender), stop }];
}

/** Says for an hour that confirmed blocks are gone from the chain. */
function goneBlocks(problems: ProblemReport): () => void {
  let end: NodeJS.Timeout | undefined;
  return () => {
    problems.raise('chain-blocks-gone');
    clearTimeout(end);
    end = setTimeout(() => problems.clear('chain-blocks-gone'), GONE_MS).unref();
  };
}

/** Rings once for all calls within GATHER_MS. */
function soon(ring: () => void): () => void {
  let isWaiting = false;
  const rung = (): void => {
    isWaiting = false;
    ring();
  };
  return () => {
    if (!isWaiting) setTimeout(rung, GATHER_MS).unref();
    isWaiting = true;
  };
}

/** Starts the sender and, in the first worker, the devnet, which several workers will need soon. */
function startSender(
  {
    config: {
      worker,
      chain: { kind },
    },
    onError,
  }: Core,
  chain: Chain,
  sender: { start(): void },
): void {
  sender.start();
  if (worker === 1 && kind === 'devnet') chain.link().catch(onError);
}

export const chainDomain = {
  models: chainModels,
  services: chainServices,
  operations: chainOperations,
  workers: chainWorkers,
  partChecks: ({ connection }: Core, { chain }: ChainServices): PartCheck[] =>
    chain.isConfigured ? [jobCheck(chainModels(connection))] : [],
  sealed: (connection: Connection): SealedField[] => [
    { model: chainModels(connection).relayerKeys, field: 'sealed', what: 'relayer-key', name: 'relayer keys' },
  ],
  retained: (connection: Connection, { chainJobMs: ms }: Retention): RetentionRule[] => [
    { model: chainModels(connection).jobs, end: 'expireAt', ms, formerMs: 90 * 86_400_000 },
  ],
} as const;

// `chain deploy|allow|reset|resume|jobs`: the operator's commands for the chain, with running gateways or without one.
import 'reflect-metadata';
import type { Config } from '../base/config/config.js';
import { badInput } from '../base/errors.js';
import { Metrics } from '../base/monitoring/metrics.js';
import { textOf } from '../base/monitoring/problems.js';
import { Deployments } from '../chain/deployments.js';
import { chainDomain, devnetOf } from '../chain/domain.js';
import type { ChainLink } from '../chain/link.js';
import { chainModels } from '../chain/models.js';
import type { ChainOutbox } from '../chain/outbox.service.js';
import { senderCheckpoints } from '../chain/sender-state.js';
import type { ChainJob } from '../chain/types.js';
import { makeCore } from '../compose/core.js';
import type { Core } from '../compose/domain.js';
import { type DomainServices, domainServices, sealedFields } from '../compose/domains.js';
import { ensureKeystoreKey } from '../compose/keystore.js';
import type { Hex } from '../evm/rpc.js';
import { checksummed } from '../keys/ethereum.js';
import { leaseModels, pause } from '../store/lease.js';
import { CLI } from './caller.js';
import { countOf, type Report, type Terminal } from './output.js';
import { openStoreBeside, requireStore } from './store-beside.js';

type ChainTools = Core & DomainServices;

const WAIT_MS = 250;
/** How long the command waits for a job. After that it prints the job's state and ends, and the job continues. */
const PATIENCE_MS = 300_000;

/** Deploys missing contracts, and, with PUBLIC_URL, sets the address of the core ids' metadata. @throws DomainError, ChainUnreachable. */
export function deployContracts(terminal: Terminal): Promise<Report> {
  const config = terminal.config();
  return withChain(terminal, async (tools) => {
    const link = await linkOf(tools);
    const deployments = new Deployments({
      config: config.chain,
      publicUrl: config.publicUrl,
      models: chainModels(tools.connection),
      outbox: tools.outbox,
      problems: tools.problems,
    });
    const missing = await deployments.missing(link);
    const deployed = await settled(tools, await deployments.put(link, missing));
    const set = isSound(deployed) ? await deployments.putMetadataBase(link) : [];
    const jobs = [...deployed, ...(await settled(tools, set))];
    const { contracts, chainId } = link;
    const lines = Object.entries(contracts).map(([name, address]) => `${name.padEnd(16)} ${address}`);
    const last = jobs.length === 0 ? `all contracts are on chain ${chainId} already` : sumOf(jobs);
    return { lines: [...lines, last], json: { chainId, contracts, jobs }, sound: isSound(jobs) };
  });
}

/** Allows another relayer key to write to the contracts; signed by the present one, their owner. @throws DomainError BAD_USER_INPUT. */
export function allowRelayer(terminal: Terminal, text: string): Promise<Report> {
  const relayer = checksummed(text) as Hex | undefined;
  if (relayer === undefined) throw badInput('The address must be 0x and 40 hex digits, with a right checksum if any.');
  return withChain(terminal, async (tools) => {
    const { chainId } = await linkOf(tools);
    const jobIds: string[] = [];
    for (const contract of ['anchorRegistry', 'coreId'] as const) {
      const jobId = `allow ${chainId} ${contract} ${relayer}`;
      await tools.outbox.put({ jobId, kind: 'allow', args: { contract, relayer } });
      jobIds.push(jobId);
    }
    const jobs = await settled(tools, jobIds);
    return { lines: [sumOf(jobs)], json: { jobs }, sound: isSound(jobs) };
  });
}

/** Resets the devnet; every transaction is sent again. @throws DomainError BAD_USER_INPUT if there is no devnet. */
export async function resetDevnet(config: Config): Promise<Report> {
  const devnet = devnetOf(config, () => {});
  if (devnet === undefined)
    throw badInput('There is no devnet here: another chain is configured, the chain is off, or anvil is missing.');
  await devnet.reset();
  const message = 'the devnet is reset; a running gateway sends every transaction again';
  return { lines: [message], json: { message } };
}

/** Lets the sender continue after the relayer's key was used elsewhere. */
export async function resumeSender(terminal: Terminal): Promise<Report> {
  requireStore(terminal.config());
  return withChain(terminal, async ({ connection, config }) => {
    const stopped = { _id: senderCheckpoints(config.chain.chainId), 'state.stopped': { $exists: true } };
    const { checkpoints } = leaseModels(connection);
    const { modifiedCount } = await checkpoints.updateMany(stopped, { $set: { 'state.resume': true } });
    const message = modifiedCount > 0 ? 'the sender continues' : 'the sender was not stopped: nothing is changed';
    return { lines: [message], json: { message } };
  });
}

export interface JobsOptions {
  retry?: string;
  giveUp?: string;
  failed?: boolean;
}

/** Lists the newest jobs, or changes one. @throws DomainError NOT_FOUND, CONFLICT. */
export async function chainJobs(terminal: Terminal, { retry, giveUp, failed }: JobsOptions): Promise<Report> {
  requireStore(terminal.config());
  return withChain(terminal, async ({ outbox }) => {
    const changed = await changedJob(outbox, retry, giveUp);
    const jobs = changed ?? (await outbox.list({ ...(failed ? { states: ['failed'] } : {}), limit: 100 }));
    return { lines: jobs.length === 0 ? ['no jobs'] : jobs.map(lineOf), json: { jobs } };
  });
}

async function changedJob(outbox: ChainOutbox, retry?: string, giveUp?: string): Promise<ChainJob[] | undefined> {
  if (retry !== undefined) return [await outbox.retry(CLI, retry)];
  if (giveUp !== undefined) return [await outbox.giveUp(CLI, giveUp)];
  return undefined;
}

const lineOf = ({ createdAt, state, kind, jobId, txHash, errorMessage }: ChainJob): string =>
  [createdAt.toISOString(), state.padEnd(9), kind.padEnd(7), jobId, txHash ?? '', errorMessage ?? '']
    .join('  ')
    .trimEnd();

/** The chain link, after a check of KEYSTORE_KEY: the devnet's key is sealed under it. @throws KeystoreKeyError, ChainUnreachable. */
async function linkOf(tools: ChainTools): Promise<ChainLink> {
  await ensureKeystoreKey(tools.connection, tools, sealedFields(tools.connection));
  return tools.chain.link();
}

/** Runs work with the chain's tools; errors meanwhile are printed to standard error. */
async function withChain(terminal: Terminal, work: (tools: ChainTools) => Promise<Report>): Promise<Report> {
  const config = terminal.config();
  if (config.chain.kind === 'none')
    throw badInput('There is no chain: set CHAIN_RPC_URL, CHAIN_ID and RELAYER_PRIVATE_KEY.');
  const store = await openStoreBeside(config);
  try {
    await store.connected;
    const { connection } = store;
    const core = makeCore(config, connection, {
      clock: Date.now,
      problems: {
        raise: (kind, facts) => terminal.warn(textOf({ kind, note: facts?.note ?? '' })),
        clear: () => {},
        open: [],
      },
      metrics: new Metrics(),
      onError: (error) => terminal.warn(error instanceof Error ? error.message : String(error)),
    });
    const services = domainServices(core, core);
    try {
      return await work(services);
    } finally {
      await services.chain.close();
    }
  } finally {
    await store.close();
  }
}

/** Waits for jobs to end. The elected sender sends them: a running gateway, or this command. */
async function settled(tools: ChainTools, jobIds: readonly string[]): Promise<ChainJob[]> {
  if (jobIds.length === 0) return [];
  const workers = chainDomain.workers(tools, tools);
  for (const worker of workers) worker.start();
  try {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const jobs = await Promise.all(jobIds.map((jobId) => tools.outbox.find(jobId)));
      const there = jobs.filter((job) => job !== null);
      if (there.every(hasEnded) || performance.now() > until) return there;
      await pause(WAIT_MS, new AbortController().signal);
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

const hasEnded = ({ state }: ChainJob): boolean => state === 'confirmed' || state === 'failed';
const isSound = (jobs: readonly ChainJob[]): boolean => jobs.every(({ state }) => state === 'confirmed');

function sumOf(jobs: readonly ChainJob[]): string {
  const unfinished = jobs.filter(({ state }) => state !== 'confirmed');
  if (unfinished.length === 0) return `${countOf(jobs.length, 'transaction is', 'transactions are')} confirmed`;
  return unfinished.map(({ jobId, state, errorMessage }) => `${jobId}: ${errorMessage ?? state}`).join('\n');
}

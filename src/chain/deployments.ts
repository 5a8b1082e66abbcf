// Whether the contracts are on the chain. The devnet gets them automatically, any other chain by `cli chain deploy`.
import type { ChainConfig } from '../base/config/chain-config.js';
import type { ProblemReport } from '../base/monitoring/problems.js';
import { CREATE2_PROXY, type Deployment, deploymentsOf, sandboxPool } from '../evm/contracts.js';
import { ask, ChainUnreachable, NODE } from '../evm/rpc.js';
import { prepareDevnet } from './devnet.js';
import type { ChainLink } from './link.js';
import { type ChainModels, type ChainRow, JOB_KINDS, type JobKind } from './models.js';
import type { ChainOutbox } from './outbox.service.js';
import { isOwner, metadataBaseOf, putMetadataBase } from './token-metadata.js';

export interface DeploymentParts {
  config: ChainConfig;
  /** The address that clients use; undefined: core ids get no metadata addresses. */
  publicUrl: string | undefined;
  models: ChainModels;
  outbox: ChainOutbox;
  problems: ProblemReport;
}

/** Checks and deploys the contracts on a chain. */
export class Deployments {
  /** The link on which all contracts were found. */
  #complete: ChainLink | undefined;
  #gathered = false;

  constructor(private readonly parts: DeploymentParts) {}

  /** Kinds of jobs that may be signed now: all if the contracts are there, otherwise only their deployment. */
  async kindsToSign(link: ChainLink): Promise<readonly JobKind[]> {
    const { config, models, problems } = this.parts;
    if (this.#complete === link && (await hasCode(link, link.contracts.anchorRegistry))) return JOB_KINDS;
    // A running devnet that was reset has neither the relayer's money nor the proxy.
    if (config.kind === 'devnet') await prepareDevnet(link.rpc, link.relayer);
    const missing = await this.missing(link);
    if (missing.length === 0) {
      this.#complete = link;
      await models.chains.updateOne({ _id: String(link.chainId) }, { $set: { deployed: true } });
      await this.#putDevnetBase();
      problems.clear('chain-no-contracts');
      return JOB_KINDS;
    }
    if (config.kind === 'devnet') await this.put(link, missing);
    else if (!(await models.jobs.exists({ open: true, kind: 'deploy' }))) problems.raise('chain-no-contracts');
    return ['deploy'];
  }

  /** The missing contracts. @throws ChainUnreachable when nothing can be deployed. */
  missing(link: ChainLink): Promise<Deployment[]> {
    return missingContracts(link, this.parts);
  }

  /**
   * Adds a job that sets the base of `tokenURI` to the public address, unless it is already set, there is no public
   * address, or another key owns the contract. Returns the ids of added jobs. @throws ChainUnreachable when the chain does not
   * respond.
   */
  async putMetadataBase(link: ChainLink): Promise<string[]> {
    const { publicUrl } = this.parts;
    if (publicUrl === undefined || !(await isOwner(link))) return [];
    return putMetadataBase(link.chainId, metadataBaseOf(publicUrl), this.parts);
  }

  /** Adds this job once for contracts that a devnet has from an earlier start. Reads only the store: the job starts the devnet. */
  async gather(): Promise<void> {
    if (this.#gathered) return;
    const row = await this.parts.models.chains.findById(String(this.parts.config.chainId)).lean<ChainRow>();
    if (row?.deployed) await this.#putDevnetBase();
    this.#gathered = true;
  }

  async #putDevnetBase(): Promise<void> {
    const { config, publicUrl } = this.parts;
    if (config.kind !== 'devnet' || publicUrl === undefined) return;
    await putMetadataBase(config.chainId, metadataBaseOf(publicUrl), this.parts);
  }

  /** Adds deployment jobs to the outbox, once for each chain and contract. */
  async put({ chainId }: ChainLink, deployments: readonly Deployment[]): Promise<string[]> {
    const jobs = deployments.map(({ name, address, data }) => ({
      jobId: `deploy ${chainId} ${address.toLowerCase()}`,
      kind: 'deploy' as const,
      args: { name, data },
    }));
    for (const job of jobs) await this.parts.outbox.put(job);
    return jobs.map(({ jobId }) => jobId);
  }
}

/** The contracts that are not on the chain. @throws ChainUnreachable when nothing can be deployed there. */
export async function missingContracts(
  link: ChainLink,
  { models, config }: Pick<DeploymentParts, 'models' | 'config'>,
): Promise<Deployment[]> {
  const row = await models.chains.findById(String(link.chainId)).lean<ChainRow>();
  const ours = await deploymentsOf(row?.owner ?? link.relayer, row?.contracts.entryPoint ?? config.entryPoint);
  const all = config.kind === 'devnet' ? [...ours, await sandboxPool()] : ours;
  const isDeployed = await Promise.all(all.map(({ address }) => hasCode(link, address)));
  const missing = all.filter((_, index) => !isDeployed[index]);
  if (missing.length > 0 && !(await hasCode(link, CREATE2_PROXY)))
    throw new ChainUnreachable(
      `The chain has no CREATE2 proxy at ${CREATE2_PROXY}, through which contracts are deployed.`,
    );
  return missing;
}

async function hasCode({ rpc }: ChainLink, address: string): Promise<boolean> {
  return (await ask(rpc, NODE.hex, 'eth_getCode', [address, 'latest'])).length > 2;
}

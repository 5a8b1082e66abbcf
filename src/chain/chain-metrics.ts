// Metrics of the chain: pending jobs, and the relayer's balance.
import type { PartCheck } from '../base/monitoring/problems.js';
import type { LabelledValues, Metrics } from '../base/monitoring/metrics.js';
import { ask, NODE } from '../evm/rpc.js';
import type { Chain } from './chain.service.js';
import type { ChainModels } from './models.js';

const WEI = 1e18;
/** A job that waits longer is reported, seconds. */
const LONG_WAIT_S = 1_800;

/** Registers the chain's metrics. They read from the store, and from the node once the chain is in use. */
export function measureChain(metrics: Metrics, models: ChainModels, chain: Chain): void {
  metrics.gauges('chain_jobs.state', 'Jobs for the chain that are open or have failed', 'store', () =>
    unfinished(models),
  );
  metrics.gauge('chain_oldest_job_seconds', 'How long the oldest open job has waited', 'store', () =>
    oldestSeconds(models),
  );
  metrics.gauges(
    'chain_relayer.what',
    'The balance of the relayer, and its transactions without a block',
    'store',
    () => relayer(chain),
  );
}

/** Jobs that have failed, or wait for long. */
export const jobCheck = (models: ChainModels): PartCheck => ({
  kinds: ['chain-jobs-failed', 'chain-jobs-wait'],
  look: async () => {
    const [failed, seconds] = await Promise.all([models.jobs.exists({ state: 'failed' }), oldestSeconds(models)]);
    const kinds = [failed !== null && 'chain-jobs-failed', seconds > LONG_WAIT_S && 'chain-jobs-wait'] as const;
    return kinds.filter((kind) => kind !== false).map((kind) => ({ kind }));
  },
});

async function unfinished({ jobs }: ChainModels): Promise<LabelledValues> {
  const [open, failed] = await Promise.all([
    jobs.aggregate<{ _id: string; count: number }>([
      { $match: { open: true } },
      { $group: { _id: '$state', count: { $sum: 1 } } },
    ]),
    jobs.countDocuments({ state: 'failed' }),
  ]);
  return { ...Object.fromEntries(open.map(({ _id, count }) => [_id, count])), failed };
}

async function oldestSeconds({ jobs }: ChainModels): Promise<number> {
  const oldest = await jobs.findOne({ open: true }, { createdAt: 1 }).sort({ createdAt: 1, _id: 1 }).lean();
  return oldest === null ? 0 : (Date.now() - oldest.createdAt.getTime()) / 1_000;
}

/** Empty until the chain is in use, and while its node does not respond. */
async function relayer(chain: Chain): Promise<LabelledValues> {
  try {
    const link = await chain.linked;
    if (link === undefined) return {};
    const { rpc, relayer: address } = link;
    const [balance, mined, sent] = await Promise.all([
      ask(rpc, NODE.quantity, 'eth_getBalance', [address, 'latest']),
      ask(rpc, NODE.number, 'eth_getTransactionCount', [address, 'latest']),
      ask(rpc, NODE.number, 'eth_getTransactionCount', [address, 'pending']),
    ]);
    return { balance: Number(balance) / WEI, pending: sent - mined };
  } catch {
    return {};
  }
}

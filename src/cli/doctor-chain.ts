// `doctor`: the chain, its contracts, the relayer's balance and nonce, and the waiting jobs (docs/chain.md).
import type { Connection } from 'mongoose';
import type { Config } from '../base/config/config.js';
import { anvilPath } from '../chain/anvil.js';
import { missingContracts } from '../chain/deployments.js';
import { DevnetLate } from '../chain/devnet.js';
import { devnetOf } from '../chain/domain.js';
import { type ChainLink, linkOver, requireChain } from '../chain/link.js';
import { chainModels } from '../chain/models.js';
import { type SenderState, senderCheckpoint } from '../chain/sender-state.js';
import { sealedFields } from '../compose/domains.js';
import { keystoreFault } from '../compose/keystore.js';
import { ask, ChainUnreachable, NODE, type Rpc, rpcOver } from '../evm/rpc.js';
import { guardedFetch } from '../http/outbound/guarded-fetch.js';
import { SealedBox } from '../keys/sealed-box.js';
import { leaseModels } from '../store/lease.js';
import { boxOrFault } from './doctor-store.js';
import { bad, type Finding, ok, warn } from './finding.js';
import { countOf } from './output.js';

const PART = 'chain';
/** Gas of a batch of anchors, whatever its size. */
const BATCH_GAS = 52_000n;
const FEW_BATCHES = 100n;
const TOO_FEW_BATCHES = 5n;
/** Jobs are usually confirmed within minutes; one that waits longer is reported. */
const WAITING_MS = 10 * 60_000;
const MEND_NODE = 'Correct CHAIN_RPC_URL or CHAIN_ID, or wait for the node.';
const WAIT = 'Wait until it responds, or end that anvil: the next job starts it again with its state.';
const RESET = 'Run: npm run cli -- chain reset. The devnet is reset, and every transaction is sent again.';
const LISTED = 'See: npm run cli -- chain jobs';

/** All findings of the configured chain. A devnet that does not run is not started. */
export async function chainFindings(config: Config, connection: Connection): Promise<Finding[]> {
  if (config.chain.isOff) return [ok(PART, 'CHAIN=off: claims are not anchored')];
  if (config.chain.kind === 'none')
    return [
      warn(
        PART,
        'No chain is configured: claims wait.',
        'Set CHAIN_RPC_URL, CHAIN_ID and RELAYER_PRIVATE_KEY, or CHAIN=off.',
      ),
    ];
  if (config.chain.kind === 'devnet' && anvilPath() === undefined)
    return [
      warn(
        PART,
        'anvil is not installed here, so there is no devnet: claims wait.',
        'Run: npm ci, with optional packages.',
      ),
    ];
  const waiting = await waitingFindings(connection);
  try {
    const rpc = await rpcOf(config);
    if (rpc === undefined) return [ok(PART, 'the devnet starts with the first job'), ...waiting];
    return [...(await linkFindings(config, connection, rpc)), ...waiting];
  } catch (error) {
    if (!(error instanceof ChainUnreachable)) throw error;
    const mend = error instanceof DevnetLate ? WAIT : config.chain.kind === 'devnet' ? RESET : MEND_NODE;
    return [bad(PART, error.message, mend), ...waiting];
  }
}

/** Findings before the first start: only of the configured node, since there are no contracts and jobs yet. */
export async function nodeFindings({ chain }: Config): Promise<Finding[]> {
  if (chain.rpcUrl === undefined) return [];
  try {
    await requireChain(rpcOver(guardedFetch({ allowLoopback: true }), chain.rpcUrl), chain.chainId);
    return [ok(PART, `chain ${chain.chainId} responds`)];
  } catch (error) {
    if (!(error instanceof ChainUnreachable)) throw error;
    return [bad(PART, error.message, MEND_NODE)];
  }
}

/** The RPC of the configured node, or of the devnet if it runs. */
async function rpcOf(config: Config): Promise<Rpc | undefined> {
  if (config.chain.rpcUrl !== undefined) return rpcOver(guardedFetch({ allowLoopback: true }), config.chain.rpcUrl);
  return devnetOf(config, () => {})?.running();
}

async function linkFindings(config: Config, connection: Connection, rpc: Rpc): Promise<Finding[]> {
  const models = chainModels(connection);
  const { chainId } = config.chain;
  await requireChain(rpc, chainId);
  const box = boxOrFault(config);
  // The first gateway creates the chain's row and, in the sandbox, KEYSTORE_KEY; this command creates neither.
  const isUsable =
    box instanceof SealedBox &&
    !box.isEmpty &&
    (await keystoreFault(connection, box, sealedFields(connection))) === undefined;
  if (!isUsable || (await models.chains.findById(String(chainId)).lean()) === null)
    return [ok(PART, `chain ${chainId} responds; its contracts are checked once a gateway has used it with this key`)];
  const link = await linkOver(rpc, { config: config.chain, models, box });
  return [
    ok(PART, `chain ${link.chainId} responds, relayer ${link.relayer}`),
    await contractsFinding(config, connection, link),
    await balanceFinding(link),
    await nonceFinding(connection, link),
  ];
}

/** Finds missing contracts. Their addresses depend on their code, so a contract at its address is the right one. */
async function contractsFinding(config: Config, connection: Connection, link: ChainLink): Promise<Finding> {
  const missing = await missingContracts(link, { config: config.chain, models: chainModels(connection) });
  if (missing.length === 0) return ok(PART, 'its contracts are deployed');
  const says = `Contracts are missing on the chain: ${missing.map(({ name }) => name).join(', ')}.`;
  return bad(PART, says, 'Run: npm run cli -- chain deploy');
}

async function balanceFinding({ rpc, relayer }: ChainLink): Promise<Finding> {
  const balance = await ask(rpc, NODE.quantity, 'eth_getBalance', [relayer, 'latest']);
  const price = await ask(rpc, NODE.quantity, 'eth_gasPrice');
  const batches = balance / ((price === 0n ? 1n : price) * BATCH_GAS);
  const says = `The relayer's balance pays ${batches} more batches at the present gas price.`;
  const mend = `Send money to ${relayer}.`;
  if (batches < TOO_FEW_BATCHES) return bad(PART, says, mend);
  return batches < FEW_BATCHES
    ? warn(PART, says, mend)
    : ok(PART, `the relayer's balance pays more than ${FEW_BATCHES} batches`);
}

async function nonceFinding(connection: Connection, { rpc, relayer, chainId }: ChainLink): Promise<Finding> {
  const { checkpoints } = leaseModels(connection);
  const row = await checkpoints.findById(senderCheckpoint(chainId, relayer)).lean<{ state: SenderState }>();
  if (row?.state.stopped !== undefined)
    return bad(PART, "The relayer's key was used elsewhere, so nothing is sent.", 'Run: npm run cli -- chain resume');
  const mined = await ask(rpc, NODE.number, 'eth_getTransactionCount', [relayer, 'latest']);
  const underWay = (row?.state.nonce ?? mined) - mined;
  if (underWay >= 0) return ok(PART, `${countOf(underWay, 'transaction is', 'transactions are')} in progress`);
  return warn(
    PART,
    `The relayer's key has sent ${countOf(-underWay, 'transaction')} that no gateway sent.`,
    'Use the key for one gateway only.',
  );
}

async function waitingFindings(connection: Connection): Promise<Finding[]> {
  const { jobs } = chainModels(connection);
  const oldest = await jobs.findOne({ open: true }).sort({ createdAt: 1 }).lean();
  const failed = await jobs.countDocuments({ state: 'failed' });
  const findings: Finding[] = [];
  if (oldest !== null && Date.now() - oldest.createdAt.getTime() > WAITING_MS)
    findings.push(warn(PART, `The job ${oldest._id} has waited since ${oldest.createdAt.toISOString()}.`, LISTED));
  if (failed > 0) findings.push(warn(PART, `${countOf(failed, 'job has', 'jobs have')} failed.`, `${LISTED} --failed`));
  return findings.length > 0 ? findings : [ok(PART, 'no job has waited long, and none has failed')];
}

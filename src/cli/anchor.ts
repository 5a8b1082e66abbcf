// `anchor verify`: checks on a chain, given only its RPC address, whether a claim and its removal are anchored (contract §19).
import 'reflect-metadata';
import type { Config } from '../base/config/config.js';
import { badInput } from '../base/errors.js';
import { type AnchorProof, isAnchored } from '../chain/anchor-check.js';
import { anvilPath } from '../chain/anvil.js';
import { devnetOf } from '../chain/domain.js';
import { type Rpc, rpcOver } from '../evm/rpc.js';
import { guardedFetch } from '../http/outbound/guarded-fetch.js';
import { callGateway, type GatewayOptions, requireGateway } from './gateway.js';
import type { Report } from './output.js';

export interface VerifyOptions extends GatewayOptions {
  rpc?: string;
}

interface StatusBody {
  vcStatus: string;
  anchor: AnchorProof | null;
  removal: AnchorProof | null;
}

/** Checks the gateway's proofs for a claim. @throws DomainError BAD_USER_INPUT, STORE_UNAVAILABLE; ChainUnreachable. */
export async function verifyAnchor(config: Config, coreClaimHash: string, options: VerifyOptions): Promise<Report> {
  if (!/^[0-9a-f]{64}$/.test(coreClaimHash)) throw badInput('The claim hash must be 64 hex digits.');
  const url = await requireGateway(config, options);
  const path = `/v1/credentials/status?coreClaimHash=${coreClaimHash}`;
  const status = (await callGateway(url, 'GET', path)) as StatusBody;
  if (status.anchor === null) {
    const message = `${coreClaimHash} is not anchored: ${status.vcStatus}`;
    return { lines: [message], json: { anchored: false, vcStatus: status.vcStatus }, sound: false };
  }
  const rpc = await chainRpc(config, options);
  const anchored = await isAnchored(rpc, coreClaimHash, 0, status.anchor);
  const removed = status.removal !== null && (await isAnchored(rpc, coreClaimHash, 1, status.removal));
  const { root, registry, chainId, transactionHash } = status.anchor;
  const lines = [
    `${coreClaimHash} ${anchored ? 'is' : 'is NOT'} under the root ${root}`,
    `  in ${registry} on chain ${chainId}, by ${transactionHash}`,
    ...(removed ? ['its removal is anchored too'] : []),
  ];
  return { lines, json: { anchored, removed, vcStatus: status.vcStatus }, sound: anchored };
}

async function chainRpc(config: Config, { rpc }: VerifyOptions): Promise<Rpc> {
  const url = rpc ?? config.chain.rpcUrl;
  if (url !== undefined) return rpcOver(guardedFetch({ allowLoopback: true }), url);
  const devnet = anvilPath() === undefined ? undefined : await devnetOf(config, () => {})?.running();
  if (devnet === undefined) throw badInput('There is no chain to check: give --rpc, or set CHAIN_RPC_URL.');
  return devnet;
}

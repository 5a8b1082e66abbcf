// Checks an anchor as anyone can: computes the leaf of the digest, and asks the contract whether its path leads to the anchored root.

import { encoded } from '../evm/contracts.js';
import { ask, type Hex, NODE, type Rpc } from '../evm/rpc.js';
import { leafOf } from './merkle.js';

/** The part of an anchor that is checked. */
export interface AnchorProof {
  chainId: number;
  registry: Hex;
  root: Hex;
  leaf: Hex;
  proof: Hex[];
  transactionHash: string;
}

/** Whether a digest is anchored on the chain under the anchor's root. @param digest 64 hex digits. @throws ChainUnreachable, NodeRefused. */
export async function isAnchored(rpc: Rpc, digest: string, kind: number, anchor: AnchorProof): Promise<boolean> {
  const leaf: Hex = `0x${leafOf(kind, digest).toString('hex')}`;
  if (leaf !== anchor.leaf || (await ask(rpc, NODE.number, 'eth_chainId')) !== anchor.chainId) return false;
  const data = await encoded('AnchorRegistry', 'includes', [kind, anchor.root, leaf, anchor.proof]);
  return BigInt(await ask(rpc, NODE.hex, 'eth_call', [{ to: anchor.registry, data }, 'latest'])) === 1n;
}

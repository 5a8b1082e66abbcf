// Checking an anchor from outside: the digest leads to the leaf, the path to the root, and the contract says whether the root is there.
import { encoded } from './calls.js';
import { leafOf } from './merkle.js';
import { ask, type Hex, NODE, type Rpc } from './rpc.js';

/** What of an anchor is checked. */
export interface AnchorProof {
  chainId: number;
  registry: Hex;
  root: Hex;
  leaf: Hex;
  proof: Hex[];
  transactionHash: string;
}

/** Whether a chain holds a digest under the root that is said. @param digest 64 hex digits. @throws ChainAway, NodeRefused. */
export async function isAnchored(rpc: Rpc, digest: string, kind: number, anchor: AnchorProof): Promise<boolean> {
  const leaf: Hex = `0x${leafOf(kind, digest).toString('hex')}`;
  if (leaf !== anchor.leaf || (await ask(rpc, NODE.number, 'eth_chainId')) !== anchor.chainId) return false;
  const data = await encoded('AnchorRegistry', 'includes', [kind, anchor.root, leaf, anchor.proof]);
  return BigInt(await ask(rpc, NODE.hex, 'eth_call', [{ to: anchor.registry, data }, 'latest'])) === 1n;
}

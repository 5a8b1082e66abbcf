// The modules that the benchmarks of the chain measure by themselves.
import { moduleOf } from './modules.js';

type Hex = `0x${string}`;

interface Built {
  'chain/merkle': {
    leafOf(kind: number, digest: string): Buffer;
    MerkleTree: { of(leaves: Buffer[]): Promise<{ root: Buffer; proofOf(leaf: Buffer): Buffer[] }> };
  };
  'chain/anvil': { anvilPath(): string | undefined };
  'evm/contracts': {
    CREATE2_PROXY: Hex;
    deploymentsOf(owner: Hex, entryPoint: Hex): Promise<{ name: string; address: Hex; data: Hex }[]>;
    sandboxPool(): Promise<{ address: Hex }>;
    encoded(contract: string, functionName: string, args: unknown[]): Promise<Hex>;
  };
}

/** A module of the chain. */
export const chainModule = <N extends keyof Built>(name: N): Promise<Built[N]> => moduleOf(name);

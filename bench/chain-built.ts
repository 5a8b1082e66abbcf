// The built parts of the gateway that the benchmarks of the chain measure by themselves.

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
    encoded(contract: string, functionName: string, args: unknown[]): Promise<Hex>;
  };
}

/** A module of the chain, from the same build as this file. */
export const built = <N extends keyof Built>(name: N): Promise<Built[N]> =>
  import(new URL(`../${name}.js`, import.meta.url).href);

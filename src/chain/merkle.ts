// Merkle trees for OpenZeppelin's MerkleProof: pairs are sorted before they are hashed, so that a path needs no directions.
// Leaves are hashed twice, so that the hash of a pair can never pass as a leaf (contract §19).
import { keccak_256 } from '@noble/hashes/sha3.js';

/** The most leaves of a tree. */
export const MAX_LEAVES = 4_096;

/** Hashes without a pause for the event loop. */
const HASHES_AT_ONCE = 512;

/** keccak256(keccak256(abi.encode(uint8 kind, bytes32 digest))). @param digest 64 hex digits, as of a coreClaimHash. */
export function leafOf(kind: number, digest: string): Buffer {
  const encoded = Buffer.alloc(64);
  encoded[31] = kind;
  encoded.write(digest, 32, 'hex');
  return Buffer.from(keccak_256(keccak_256(encoded)));
}

/** A Merkle tree of anchored leaves. */
export class MerkleTree {
  /** Levels, from the sorted leaves up to the root. */
  readonly #levels: readonly (readonly Buffer[])[];
  readonly #indexes: ReadonlyMap<string, number>;

  private constructor(levels: readonly (readonly Buffer[])[]) {
    this.#levels = levels;
    this.#indexes = new Map((levels[0] ?? []).map((leaf, index) => [leaf.toString('hex'), index]));
  }

  /** Builds a tree of 1..4,096 leaves without blocking the event loop. */
  static async of(leaves: readonly Buffer[]): Promise<MerkleTree> {
    if (leaves.length === 0 || leaves.length > MAX_LEAVES)
      throw new RangeError(`A tree has 1 to ${MAX_LEAVES} leaves, not ${leaves.length}.`);
    let level = [...leaves].sort(Buffer.compare);
    const levels = [level];
    while (level.length > 1) {
      level = await levelAbove(level);
      levels.push(level);
    }
    return new MerkleTree(levels);
  }

  get root(): Buffer {
    return this.#levels.at(-1)?.[0] as Buffer;
  }

  /** The siblings from a leaf up. @throws RangeError for a value that is not a leaf of this tree. */
  proofOf(leaf: Buffer): Buffer[] {
    let index = this.#indexes.get(leaf.toString('hex'));
    if (index === undefined) throw new RangeError('The tree has no such leaf.');
    const proof: Buffer[] = [];
    for (const level of this.#levels.slice(0, -1)) {
      const sibling = level[index ^ 1];
      if (sibling) proof.push(sibling);
      index >>= 1;
    }
    return proof;
  }
}

/** A node without a sibling moves up unchanged. */
async function levelAbove(level: readonly Buffer[]): Promise<Buffer[]> {
  const above: Buffer[] = [];
  for (let index = 0; index < level.length; index += 2) {
    const [left, right] = [level[index] as Buffer, level[index + 1]];
    above.push(right === undefined ? left : pairHash(left, right));
    if (above.length % HASHES_AT_ONCE === 0) await new Promise(setImmediate);
  }
  return above;
}

function pairHash(one: Buffer, other: Buffer): Buffer {
  const sorted = Buffer.compare(one, other) < 0 ? [one, other] : [other, one];
  return Buffer.from(keccak_256(Buffer.concat(sorted)));
}

/** Whether a path leads from a leaf to a root. */
export function isIncluded(root: Buffer, leaf: Buffer, proof: readonly Buffer[]): boolean {
  return proof.reduce(pairHash, leaf).equals(root);
}

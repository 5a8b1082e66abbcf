// Merkle trees for OpenZeppelin's MerkleProof: pairs are sorted before they are hashed, so that a path needs no directions.
// Leaves are hashed twice, so that the hash of a pair can never pass as a leaf (contract §19).
import { keccak_256 } from '@noble/hashes/sha3.js';

/** The most leaves of a tree. */
export const MAX_LEAVES = 4_096;

/** Hashes between two turns of the event loop. */
const TURN = 512;

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
  readonly #places: ReadonlyMap<string, number>;

  private constructor(levels: readonly (readonly Buffer[])[]) {
    this.#levels = levels;
    this.#places = new Map((levels[0] ?? []).map((leaf, place) => [leaf.toString('hex'), place]));
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
    let place = this.#places.get(leaf.toString('hex'));
    if (place === undefined) throw new RangeError('The tree has no such leaf.');
    const proof: Buffer[] = [];
    for (const level of this.#levels.slice(0, -1)) {
      const sibling = level[place ^ 1];
      if (sibling) proof.push(sibling);
      place >>= 1;
    }
    return proof;
  }
}

/** A node without a sibling moves up unchanged. */
async function levelAbove(level: readonly Buffer[]): Promise<Buffer[]> {
  const above: Buffer[] = [];
  for (let place = 0; place < level.length; place += 2) {
    const [left, right] = [level[place] as Buffer, level[place + 1]];
    above.push(right === undefined ? left : pairHash(left, right));
    if (above.length % TURN === 0) await new Promise(setImmediate);
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

// Merkle trees for OpenZeppelin's MerkleProof: pairs are sorted before they are hashed, so that a path needs no directions.
// Leaves are hashed twice, so that the hash of a pair can never pass as a leaf (contract §19).
import { keccak_256 } from '@noble/hashes/sha3.js';

/** The most leaves of a tree. */
export const MAX_LEAVES = 4_096;

/** Leaves that follow each other share one set of nodes: 2 to the power of this many. */
const GROUP_LEVELS = 6;
const HASH_BYTES = 32;

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

  /** The number of leaves. */
  get count(): number {
    return this.#indexes.size;
  }

  get root(): Buffer {
    return this.#levels.at(-1)?.[0] as Buffer;
  }

  /** The number of a leaf in the order of leaves, from 0. @throws RangeError for a value that is not a leaf of this tree. */
  indexOf(leaf: Buffer): number {
    const index = this.#indexes.get(leaf.toString('hex'));
    if (index === undefined) throw new RangeError('The tree has no such leaf.');
    return index;
  }

  /** The siblings from a leaf up. @throws RangeError as `indexOf` does. */
  proofOf(leaf: Buffer): Buffer[] {
    let index = this.indexOf(leaf);
    const proof: Buffer[] = [];
    for (const level of this.#levels.slice(0, -1)) {
      const sibling = level[index ^ 1];
      if (sibling) proof.push(sibling);
      index >>= 1;
    }
    return proof;
  }

  /** For each group of leaves, in their order, the nodes that `pathIn` reads. */
  groups(): Buffer[] {
    const levels = this.#levels.slice(0, Math.max(1, this.#levels.length - 1));
    const groups = groupOf((this.#levels[0]?.length ?? 0) - 1) + 1;
    return Array.from({ length: groups }, (_, group) =>
      Buffer.concat(levels.flatMap((level, at) => level.slice(...rangeOf(group, at, level.length)))),
    );
  }
}

/** The group of the leaf with this index. */
export const groupOf = (index: number): number => index >> GROUP_LEVELS;

/** The leaf with this index, and the siblings from it up, in a tree of `count` leaves. @param nodes of its group, as `MerkleTree.groups` returns them */
export function pathIn(
  nodes: Buffer,
  { index, count }: { index: number; count: number },
): { leaf: Buffer; proof: Buffer[] } {
  const group = groupOf(index);
  const proof: Buffer[] = [];
  const nodeAt = (at: number): Buffer => nodes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
  let before = 0;
  for (let [level, size] = [0, count]; size > 1; level += 1, size = Math.ceil(size / 2)) {
    const [first, end] = rangeOf(group, level, size);
    const sibling = (index >> level) ^ 1;
    if (sibling < size) proof.push(nodeAt(before + sibling - first));
    before += end - first;
  }
  return { leaf: nodeAt(index - (group << GROUP_LEVELS)), proof };
}

/** The nodes of a level that paths of a group need: those of the group, and further up the sibling of the node that all of it is below. */
function rangeOf(group: number, level: number, size: number): [first: number, end: number] {
  if (level < GROUP_LEVELS) {
    const width = 1 << (GROUP_LEVELS - level);
    return [group * width, Math.min(size, (group + 1) * width)];
  }
  const sibling = (group >> (level - GROUP_LEVELS)) ^ 1;
  return [sibling, Math.min(size, sibling + 1)];
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

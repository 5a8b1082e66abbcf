// Trees and their paths, for any number of leaves.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isIncluded, leafOf, MerkleTree } from '../../src/chain/merkle.js';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const leavesOf = (count: number): Buffer[] => Array.from({ length: count }, (_, at) => leafOf(0, digestOf(String(at))));

describe('A Merkle tree', () => {
  it.each([1, 2, 3, 4, 5, 7, 8, 9, 33, 100])(
    'a Merkle tree of %i leaves leads every leaf to its root, and nothing else',
    async (count) => {
      const leaves = leavesOf(count);
      const tree = await MerkleTree.of(leaves);
      const stranger = leafOf(0, digestOf('stranger'));
      for (const leaf of leaves) {
        const proof = tree.proofOf(leaf);
        expect(isIncluded(tree.root, leaf, proof)).toBe(true);
        expect(isIncluded(tree.root, stranger, proof)).toBe(false);
      }
      expect(() => tree.proofOf(stranger)).toThrow(RangeError);
    },
  );

  it('the root of a Merkle tree does not depend on the order of its leaves', async () => {
    const leaves = leavesOf(50);
    const [one, other] = await Promise.all([MerkleTree.of(leaves), MerkleTree.of(leaves.toReversed())]);
    expect(one.root.equals(other.root)).toBe(true);
  });

  it('a Merkle tree has 1 to 4,096 leaves, with paths of at most 12 hashes', async () => {
    await expect(MerkleTree.of([])).rejects.toThrow('1 to 4096');
    await expect(MerkleTree.of(leavesOf(4_097))).rejects.toThrow('4097');
    const leaves = leavesOf(4_096);
    expect((await MerkleTree.of(leaves)).proofOf(leaves[7] as Buffer)).toHaveLength(12);
  });

  it('a digest has another leaf as a removal than as a claim', () => {
    const digest = digestOf('claim');
    expect(leafOf(0, digest).equals(leafOf(1, digest))).toBe(false);
  });
});

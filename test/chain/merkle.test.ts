// Trees and their paths, for any number of leaves.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { groupOf, isIncluded, leafOf, MerkleTree, pathIn } from '../../src/chain/merkle.js';

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

  it.each([1, 2, 3, 63, 64, 65, 66, 127, 128, 129, 191, 193, 1_000, 4_096])(
    'the nodes of a group, of a Merkle tree of %i leaves, have the paths of its leaves',
    async (count) => {
      const leaves = leavesOf(count);
      const tree = await MerkleTree.of(leaves);
      const groups = tree.groups();
      expect(groups).toHaveLength(Math.ceil(count / 64));
      for (const leaf of leaves) {
        const index = tree.indexOf(leaf);
        expect(pathIn(groups[groupOf(index)] as Buffer, { index, count })).toEqual({ leaf, proof: tree.proofOf(leaf) });
      }
      // Twice the leaves, and the way up.
      for (const nodes of groups) expect(nodes.length).toBeLessThanOrEqual((2 * 64 + 6) * 32);
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

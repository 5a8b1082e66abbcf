// SPDX-License-Identifier: Apache-2.0
// Roots of what the gateway says: claims (kind 0), removals (1) and verifications (2). A root is there for good.
pragma solidity 0.8.37;

import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {Relayed} from "./Relayed.sol";

contract AnchorRegistry is Relayed {
    struct Batch {
        bytes32 root;
        uint8 kind;
        /// How many leaves the root is of.
        uint32 count;
    }

    /// The number of the block that anchored a root; 0: none did.
    mapping(uint8 kind => mapping(bytes32 root => uint256 blockNumber)) public anchoredAt;

    event Anchored(uint8 indexed kind, bytes32 indexed root, uint32 count);

    constructor(address firstOwner) Relayed(firstOwner) {}

    /// Anchors batches. A root that is there for its kind is passed over: a transaction that is sent twice does no harm.
    function anchor(Batch[] calldata batches) external onlyRelayer {
        for (uint256 i = 0; i < batches.length; ++i) {
            Batch calldata batch = batches[i];
            if (anchoredAt[batch.kind][batch.root] != 0) continue;
            anchoredAt[batch.kind][batch.root] = block.number;
            emit Anchored(batch.kind, batch.root, batch.count);
        }
    }

    /// Whether a leaf belongs to an anchored root.
    /// @param leaf keccak256(keccak256(abi.encode(uint8 kind, bytes32 digest)))
    /// @param proof siblings from the leaf up; pairs are sorted before they are hashed
    function includes(uint8 kind, bytes32 root, bytes32 leaf, bytes32[] calldata proof) external view returns (bool) {
        return anchoredAt[kind][root] != 0 && MerkleProof.verifyCalldata(proof, root, leaf);
    }
}

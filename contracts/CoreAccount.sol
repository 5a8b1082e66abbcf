// SPDX-License-Identifier: Apache-2.0
// A smart account of one key (ERC-4337, EntryPoint v0.8; ERC-1271). Accounts are clones of one implementation that carry their owner in
// their code: there is nothing to initialize, to upgrade or to hand over.
pragma solidity 0.8.37;

import {IAccount} from "@account-abstraction/contracts/interfaces/IAccount.sol";
import {PackedUserOperation} from "@account-abstraction/contracts/interfaces/PackedUserOperation.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

contract CoreAccount is IAccount, IERC1271, EIP712, ERC721Holder, ERC1155Holder {
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    bytes32 private constant MESSAGE_TYPE = keccak256("CoreMessage(bytes32 hash)");
    bytes4 private constant NOT_VALID = 0xffffffff;

    /// The only EntryPoint whose operations are taken.
    address public immutable entryPoint;

    error NotAllowed(address caller);

    constructor(address entryPoint_) EIP712("CoreAccount", "1") {
        entryPoint = entryPoint_;
    }

    receive() external payable {}

    /// The key that signs for this account; the implementation itself has none.
    function owner() public view returns (address) {
        bytes memory args = Clones.fetchCloneArgs(address(this));
        return address(bytes20(args));
    }

    /// Calls one target. For the EntryPoint and the owner.
    function execute(address target, uint256 value, bytes calldata data) external {
        _requireOwnerOrEntryPoint();
        _call(target, value, data);
    }

    /// Calls targets in order, all or none. For the EntryPoint and the owner.
    function executeBatch(Call[] calldata calls) external {
        _requireOwnerOrEntryPoint();
        for (uint256 i = 0; i < calls.length; ++i)
            _call(calls[i].target, calls[i].value, calls[i].data);
    }

    /// ERC-4337: 0 when the owner signed the operation, 1 when not.
    function validateUserOp(PackedUserOperation calldata userOp, bytes32 userOpHash, uint256 missingAccountFunds)
        external
        returns (uint256 validationData)
    {
        if (msg.sender != entryPoint) revert NotAllowed(msg.sender);
        validationData = _isOwners(userOpHash, userOp.signature) ? 0 : 1;
        // The EntryPoint looks itself at what has arrived.
        if (missingAccountFunds != 0) payable(msg.sender).call{value: missingAccountFunds}("");
    }

    /// ERC-1271. What the owner signs is bound to this account and chain (EIP-712): see `messageHash`.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return _isOwners(messageHash(hash), signature) ? IERC1271.isValidSignature.selector : NOT_VALID;
    }

    /// What the owner has to sign for this account to have signed `hash`.
    function messageHash(bytes32 hash) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(MESSAGE_TYPE, hash)));
    }

    function _isOwners(bytes32 hash, bytes calldata signature) private view returns (bool) {
        (address signer, ECDSA.RecoverError fault,) = ECDSA.tryRecover(hash, signature);
        return fault == ECDSA.RecoverError.NoError && signer == owner();
    }

    /// A key's address has no code, and may be sent money all the same.
    function _call(address target, uint256 value, bytes calldata data) private {
        (bool isDone, bytes memory returned) = target.call{value: value}(data);
        if (!isDone) LowLevelCall.bubbleRevert(returned);
    }

    function _requireOwnerOrEntryPoint() private view {
        if (msg.sender != entryPoint && msg.sender != owner()) revert NotAllowed(msg.sender);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Makes accounts at addresses that follow from owner and salt. Open to all: ERC-6492 deploys inside of a call.
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {CoreAccount} from "./CoreAccount.sol";

contract CoreAccountFactory {
    /// What every account is a clone of.
    address public immutable implementation;

    event AccountCreated(address indexed account, address indexed owner, uint256 salt);

    constructor(address entryPoint) {
        implementation = address(new CoreAccount(entryPoint));
    }

    /// Makes the account of an owner, or returns the one that is there.
    function createAccount(address owner, uint256 salt) external returns (address account) {
        account = getAddress(owner, salt);
        if (account.code.length > 0) return account;
        Clones.cloneDeterministicWithImmutableArgs(implementation, abi.encodePacked(owner), bytes32(salt));
        emit AccountCreated(account, owner, salt);
    }

    /// Where the account of an owner is, or would be.
    function getAddress(address owner, uint256 salt) public view returns (address) {
        return Clones.predictDeterministicAddressWithImmutableArgs(
            implementation, abi.encodePacked(owner), bytes32(salt)
        );
    }
}

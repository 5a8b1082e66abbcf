// SPDX-License-Identifier: Apache-2.0
// Who may write: relayers, named by an owner. The owner is given to the constructor, because behind a CREATE2 proxy the sender is the proxy.
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

abstract contract Relayed is Ownable2Step {
    /// Whether this address may write.
    mapping(address relayer => bool) public isRelayer;

    event RelayerChanged(address indexed relayer, bool allowed);

    error NotRelayer(address caller);

    /// @param firstOwner names relayers, and is the first of them.
    constructor(address firstOwner) Ownable(firstOwner) {
        isRelayer[firstOwner] = true;
        emit RelayerChanged(firstOwner, true);
    }

    modifier onlyRelayer() {
        if (!isRelayer[msg.sender]) revert NotRelayer(msg.sender);
        _;
    }

    /// Lets an address write, or no longer.
    function setRelayer(address relayer, bool allowed) external onlyOwner {
        isRelayer[relayer] = allowed;
        emit RelayerChanged(relayer, allowed);
    }
}

// SPDX-License-Identifier: Apache-2.0
// A token without value, for trying swaps on a devnet: whoever asks gets some.
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

contract SandboxToken is ERC20 {
    uint8 private immutable _decimals;

    constructor(string memory name, string memory symbol, uint8 places) ERC20(name, symbol) {
        _decimals = places;
    }

    /// Gives anybody any amount.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }
}

// SPDX-License-Identifier: Apache-2.0
// A pool of two tokens without value, for trying swaps on a devnet: a constant product, and 0.3 % of what comes in stays. Its constructor makes
// the tokens and fills the pool, so that a single deployment is all of it.
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SandboxToken} from "./SandboxToken.sol";

contract SandboxPool {
    SandboxToken public immutable dollars;
    SandboxToken public immutable euros;

    /// Not one of the two tokens.
    error UnknownToken(address token);
    /// The pool has too little of the other token for this amount.
    error Empty();
    /// Less would come out than the caller takes.
    error TooLittle(uint256 amountOut);

    constructor() {
        dollars = new SandboxToken{salt: 0}("Test Dollar", "TUSD", 6);
        euros = new SandboxToken{salt: 0}("Test Euro", "TEUR", 18);
        dollars.mint(address(this), 1_080_000e6);
        euros.mint(address(this), 1_000_000e18);
    }

    /// What comes out for an amount. Reverts where that is nothing.
    function quote(address from, uint256 amountIn) public view returns (uint256 amountOut) {
        (IERC20 tokenIn, IERC20 tokenOut) = _pair(from);
        uint256 taken = amountIn * 997;
        amountOut = tokenOut.balanceOf(address(this)) * taken / (tokenIn.balanceOf(address(this)) * 1000 + taken);
        if (amountOut == 0) revert Empty();
    }

    /// Takes an amount that the caller has allowed, and sends the other token to it: at least `minimum`, or nothing happens.
    function swap(address from, uint256 amountIn, uint256 minimum) external returns (uint256 amountOut) {
        amountOut = quote(from, amountIn);
        if (amountOut < minimum) revert TooLittle(amountOut);
        (IERC20 tokenIn, IERC20 tokenOut) = _pair(from);
        // Both tokens revert where they cannot send.
        tokenIn.transferFrom(msg.sender, address(this), amountIn);
        tokenOut.transfer(msg.sender, amountOut);
    }

    function _pair(address from) private view returns (IERC20 tokenIn, IERC20 tokenOut) {
        if (from == address(dollars)) return (dollars, euros);
        if (from == address(euros)) return (euros, dollars);
        revert UnknownToken(from);
    }
}

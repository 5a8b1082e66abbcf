// SPDX-License-Identifier: Apache-2.0
// Identity records of accounts: an ERC-721 that is bound to its account (ERC-5192), one an account, minted by relayers.
pragma solidity 0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Relayed} from "./Relayed.sol";

contract CoreId is ERC721, Relayed {
    /// The token of an account; 0: none.
    mapping(address account => uint256 tokenId) public tokenOf;
    string private _base;

    /// ERC-5192.
    event Locked(uint256 tokenId);

    error Bound(uint256 tokenId);
    error HasOne(address account);

    constructor(address firstOwner) ERC721("Core ID", "COREID") Relayed(firstOwner) {}

    /// Mints the record of a node (EIP-137) to an account. Reverts where the account has another one, or the node is taken; passes over what is
    /// there: a transaction that is sent twice does no harm.
    function mint(address account, bytes32 node) external onlyRelayer {
        uint256 tokenId = uint256(node);
        uint256 present = tokenOf[account];
        if (present == tokenId && tokenId != 0) return;
        if (present != 0) revert HasOne(account);
        tokenOf[account] = tokenId;
        _mint(account, tokenId);
        emit Locked(tokenId);
    }

    /// ERC-5192: every token stays where it was minted.
    function locked(uint256 tokenId) external view returns (bool) {
        _requireOwned(tokenId);
        return true;
    }

    /// What the addresses of metadata begin with; the token id, decimal, follows.
    function setBaseURI(string calldata base) external onlyOwner {
        _base = base;
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == 0xb45a3c0e || super.supportsInterface(interfaceId);
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }

    function _update(address to, uint256 tokenId, address auth) internal override returns (address from) {
        from = super._update(to, tokenId, auth);
        if (from != address(0)) revert Bound(tokenId);
    }
}

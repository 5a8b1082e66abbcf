// SPDX-License-Identifier: Apache-2.0
// Whether an account has signed a hash (ERC-1271), its factory called first where it is not there yet (ERC-6492). Its creation code is the
// data of an `eth_call` and never comes on a chain: what the constructor returns is the answer, 1 or 0.
pragma solidity 0.8.37;

contract SignatureCheck {
    /// @param factory zero: the account is there, or has not signed.
    constructor(address account, address factory, bytes memory factoryData, bytes32 hash, bytes memory signature) {
        if (account.code.length == 0 && factory != address(0)) {
            assembly {
                pop(call(gas(), factory, 0, add(factoryData, 32), mload(factoryData), 0, 0))
            }
        }
        bytes memory question = abi.encodeWithSelector(0x1626ba7e, hash, signature);
        bool isThere = account.code.length > 0;
        assembly {
            // Whatever it returns beyond the first word is not copied.
            mstore(0, 0)
            let isDone := staticcall(gas(), account, add(question, 32), mload(question), 0, 32)
            let isWord := and(isDone, gt(returndatasize(), 31))
            mstore(0, and(isThere, and(isWord, eq(shr(224, mload(0)), 0x1626ba7e))))
            return(31, 1)
        }
    }
}

// Parameters of JSON-RPC that are refused: what they are, the method, and the parameters.

export const ZERO = `0x${'00'.repeat(20)}`;
const BLOCK = 'must be a block: its number in hex, such as 0x1a, or latest, earliest, pending, safe or finalized.';

type Refused = [name: string, method: string, params: unknown[]];

export const REFUSED: Refused[] = [
  ['overrides of the state', 'eth_call', [{ to: ZERO }, 'latest', { [ZERO]: { balance: '0x1' } }]],
  ['overrides of the block', 'eth_call', [{ to: ZERO }, 'latest', {}, { number: '0x1' }]],
  ['overrides in an estimate', 'eth_estimateGas', [{ to: ZERO }, 'latest', {}]],
  ['members of calls that are not known', 'eth_call', [{ to: ZERO, authorizationList: [] }, 'latest']],
  ['blobs', 'eth_call', [{ to: ZERO, blobs: [] }]],
  ['an address that is none', 'eth_getBalance', ['0x12', 'latest']],
  ['a missing address', 'eth_getBalance', []],
  ['blocks as objects', 'eth_getBalance', [ZERO, { blockNumber: '0x1' }]],
  ['a quantity with zeros before it', 'eth_getBlockByNumber', ['0x01', false]],
  ['a block beyond numbers', 'eth_getBlockByNumber', [`0x${'f'.repeat(64)}`, false]],
  ['odd hex', 'eth_sendRawTransaction', ['0x123']],
  ['text', 'eth_sendRawTransaction', ['hello']],
  ['gas beyond 256 bits', 'eth_call', [{ to: ZERO, gas: `0x1${'0'.repeat(64)}` }]],
  ['thousands of fee blocks', 'eth_feeHistory', ['0x401', 'latest', []]],
  ['fee blocks that are none', 'eth_feeHistory', ['x']],
  ['percentiles that are none', 'eth_feeHistory', ['0x1', 'latest', [101]]],
  ['five topics', 'eth_getLogs', [{ topics: [null, null, null, null, null] }]],
  ['a hundred and one addresses', 'eth_getLogs', [{ address: Array(101).fill(ZERO) }]],
  ['a block hash and a range', 'eth_getLogs', [{ blockHash: `0x${'00'.repeat(32)}`, fromBlock: '0x1' }]],
  ['parameters of what takes none', 'eth_chainId', ['latest']],
];

/** By the sentence that says why. */
export const SENTENCES: Refused[] = [
  [`Parameter 2 ${BLOCK}`, 'eth_getBalance', [ZERO, 'x']],
  [`Parameter 2 ${BLOCK}`, 'eth_getBalance', [ZERO, 7]],
  [`Parameter 3 ${BLOCK}`, 'eth_getStorageAt', [ZERO, '0x0', 'x']],
  [`Parameter 1 ${BLOCK}`, 'eth_getBlockByNumber', ['x']],
  [`"fromBlock" of parameter 1 ${BLOCK}`, 'eth_getLogs', [{ fromBlock: 'x' }]],
  [`"toBlock" of parameter 1 ${BLOCK}`, 'eth_getLogs', [{ toBlock: 'x' }]],
  [
    '"topics[0]" of parameter 1 must be null, 32 bytes in hex with 0x, or a list of these.',
    'eth_getLogs',
    [{ topics: [5] }],
  ],
  ['"address" of parameter 1 must be an address or a list of addresses.', 'eth_getLogs', [{ address: 5 }]],
  ['"[0]" of parameter 3 must be at least 0.', 'eth_feeHistory', ['0x1', 'latest', [-1]]],
  ['Parameter 1 must be a quantity: hex with 0x and no leading zeros, such as 0x1a.', 'eth_feeHistory', ['x']],
  ['Parameter 1 must be a string.', 'eth_getBalance', [5]],
  ['Parameter 1 is missing.', 'eth_getBalance', []],
  ['Parameter 1 must be an object.', 'eth_call', ['x']],
  ['Parameter 2 must be true or false.', 'eth_getBlockByNumber', ['0x1', 'x']],
  ['"blobs" of parameter 1 is not a known member.', 'eth_call', [{ to: ZERO, blobs: [] }]],
  ['This method takes no parameters, not 1.', 'eth_chainId', ['latest']],
  ['This method takes at most 1 parameter, not 2.', 'eth_getTransactionByHash', ['0x', '0x']],
];

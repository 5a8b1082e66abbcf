// What other domains speak to the chain with: checked answers, encoded calls, and the errors of a node.
export { encoded, numbered, type PackedOperation } from './calls.js';
export { artifactOf } from './contracts.js';
export type { ChainLink } from './link.js';
export { ask, ChainAway, type Hex, NODE, NodeRefused, type Rpc, rpcOver } from './rpc.js';
export { viem } from './viem.js';

// The functions for holders' devices, in Node and browsers: the suite, the check of a claim against a request, and compliance access keys. The
// gateway never loads this file.
export { type ExplainedClaim, type ExplainedRequest, type Explanation, explain } from '../conditions/index.js';
export { type CakPair, type CakPurpose, deriveCak } from './cak.js';
export * from './index.js';

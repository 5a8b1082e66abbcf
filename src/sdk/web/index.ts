// The client library for web pages: what `/sdk/core.js` and the package export.
export { CoreServiceError, type CoreServiceErrorName } from '../core/error.js';
export type * from '../core/types.js';
export { CoreService } from './core-service.js';
export { ProviderRpcError } from './provider.js';

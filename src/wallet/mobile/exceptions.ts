// Failures of the wallet as exceptions of the library for apps.
import { CoreServiceError, type CoreServiceErrorName } from '../../sdk/core/error.js';
import type { ProviderErrorData } from '../../sdk/core/protocol.js';
import { CoreException, type ExceptionType } from '../../sdk/mobile/exception.js';
import { Refusal } from '../gateway.js';
import { RPC, RpcError } from '../rpc-error.js';
import { StorageFault } from './app-storage.js';

/** What the app or its user caused; other errors of the wallet are the gateway's or the network's. */
const OF_CLIENT: ReadonlySet<CoreServiceErrorName> = new Set([
  'NOT_INITIALIZED',
  'NOT_LOGGED_IN',
  'CONFIG_ERROR',
  'INVALID_PARAMETER',
  'USER_CANCELLED',
  'USER_MISMATCH',
  'PARTNER_ACCESS_TOKEN_INVALID',
  'NOT_SUPPORTED',
  'CLIENT_ERROR',
  'PASSKEY_REGISTRATION_FAILED',
  'PASSKEY_AUTHENTICATION_FAILED',
]);
const OF_SERVER: ReadonlySet<CoreServiceErrorName> = new Set(['INTERNAL_SERVER_ERROR', 'RATE_LIMITED']);
const RPC_OF_CLIENT: ReadonlySet<number> = new Set([
  RPC.rejected,
  RPC.unauthorized,
  RPC.unsupported,
  RPC.invalidParams,
  RPC.unknownChain,
]);

/** An exception for anything thrown. */
export function exceptionOf(cause: unknown): CoreException {
  if (cause instanceof CoreException) return cause;
  if (cause instanceof StorageFault) return new CoreException(cause.message, 'sdk', { cause });
  if (cause instanceof DOMException)
    return new CoreException('The cryptography of the engine failed.', 'sdk', { cause });
  if (cause instanceof RpcError) return rpcException(cause);
  if (cause instanceof CoreServiceError) return new CoreException(cause.message, typeOf(cause), { cause });
  return new CoreException('Something went wrong.', 'unknown', { cause });
}

/** An exception for an error of the provider. */
export const rpcException = ({ code, message }: ProviderErrorData): CoreException =>
  new CoreException(message, RPC_OF_CLIENT.has(code) ? 'client' : code === RPC.disconnected ? 'unknown' : 'server');

function typeOf(error: CoreServiceError): ExceptionType {
  if (error instanceof Refusal || OF_SERVER.has(error.name)) return 'server';
  return OF_CLIENT.has(error.name) ? 'client' : 'unknown';
}

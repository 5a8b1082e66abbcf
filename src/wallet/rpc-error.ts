// Errors of the provider (EIP-1193, EIP-1474, EIP-5792), and the conversion of other errors to these.
import { CoreServiceError } from '../sdk/core/error.js';
import type { ProviderErrorData } from '../sdk/core/protocol.js';

export const RPC = {
  reverted: 3,
  rejected: 4_001,
  unauthorized: 4_100,
  unsupported: 4_200,
  disconnected: 4_900,
  chainDisconnected: 4_901,
  unknownChain: 4_902,
  invalidParams: -32_602,
  internal: -32_603,
  limit: -32_005,
  unsupportedCapability: 5_700,
  unsupportedChain: 5_710,
  duplicateId: 5_720,
  unknownBundle: 5_730,
  bundleTooLarge: 5_740,
} as const;

/** An error that the page's provider throws. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export const invalid = (message: string): RpcError => new RpcError(RPC.invalidParams, message);

const CODES: Readonly<Record<string, number>> = {
  USER_CANCELLED: RPC.rejected,
  WINDOW_BLOCKED: RPC.rejected,
  WINDOW_CLOSED: RPC.rejected,
  NOT_LOGGED_IN: RPC.unauthorized,
  NOT_INITIALIZED: RPC.disconnected,
  OFFLINE: RPC.disconnected,
  RATE_LIMITED: RPC.limit,
  INVALID_PARAMETER: RPC.invalidParams,
};

/** Any thrown value as data. Unexpected errors reveal no details. */
export function rpcErrorData(thrown: unknown): ProviderErrorData {
  if (thrown instanceof RpcError) {
    const { code, message, data } = thrown;
    return data === undefined ? { code, message } : { code, message, data };
  }
  if (thrown instanceof CoreServiceError) return { code: CODES[thrown.name] ?? RPC.internal, message: thrown.message };
  return { code: RPC.internal, message: 'Something went wrong in the wallet.' };
}

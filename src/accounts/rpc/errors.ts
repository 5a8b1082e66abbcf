// Errors in the form of JSON-RPC: codes of JSON-RPC 2.0, EIP-1193, EIP-1474 and ERC-7769. The node's own texts are not passed on.
import { DomainError } from '../../base/errors.js';
import { ChainUnreachable, type Hex, NodeRefused } from '../../evm/rpc.js';
import { GuardedFetchError } from '../../http/outbound/guarded-fetch-error.js';

export const RPC_CODES = {
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
  /** EIP-1474: a limit is exceeded. */
  limit: -32005,
  reverted: 3,
  unauthorized: 4100,
  unsupported: 4200,
  disconnected: 4900,
  /** ERC-7769: the account or its factory rejects the operation; the call would revert; the signature is invalid. */
  rejected: -32500,
  wouldRevert: -32521,
  badSignature: -32507,
} as const;

/** An error that the caller gets: one sentence, and the data of a revert. */
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

/**
 * Reasons of nodes for refusing a transaction to which clients react. Other texts may reveal the node's operator, and
 * are left out.
 */
const PHRASES = [
  'nonce too low',
  'nonce too high',
  'already known',
  'already imported',
  'replacement transaction underpriced',
  'transaction underpriced',
  'max fee per gas less than block base fee',
  'insufficient funds',
  'intrinsic gas too low',
  'exceeds block gas limit',
  'gas required exceeds allowance',
  'invalid chain id',
  'invalid sender',
  'out of gas',
] as const;

/** Any failure as the caller's error; undefined for our own faults. */
export function toRpcError(thrown: unknown): RpcError | undefined {
  if (thrown instanceof RpcError) return thrown;
  if (thrown instanceof NodeRefused) return refusalOf(thrown);
  if (thrown instanceof ChainUnreachable) return errorOfChain(thrown);
  if (thrown instanceof DomainError) return domainErrorOf(thrown);
  return undefined;
}

function refusalOf({ reverted, data, message, code }: NodeRefused): RpcError {
  if (reverted) return new RpcError(RPC_CODES.reverted, 'execution reverted', data ?? ('0x' satisfies Hex));
  const phrase = PHRASES.find((one) => message.toLowerCase().includes(one));
  return new RpcError(code, phrase ?? 'The node refuses this call.');
}

function errorOfChain({ cause }: ChainUnreachable): RpcError {
  if (cause instanceof GuardedFetchError && cause.reason === 'too-large')
    return new RpcError(RPC_CODES.limit, 'The response is larger than 1 MiB.');
  return new RpcError(RPC_CODES.disconnected, 'The chain does not respond right now; try again shortly.');
}

function domainErrorOf({ code, message, data }: DomainError): RpcError | undefined {
  switch (code) {
    case 'RATE_LIMITED':
      return new RpcError(RPC_CODES.limit, message, { retryAfter: data.retryAfter });
    case 'CHAIN_UNAVAILABLE':
      return new RpcError(RPC_CODES.disconnected, message);
    case 'FORBIDDEN':
    case 'CONFLICT':
    case 'NOT_FOUND':
      return new RpcError(RPC_CODES.unauthorized, message);
    default:
      return undefined;
  }
}

// Checks the calls of transactions and batches that pages pass.
import type { Hex } from 'viem';
import { isAddress, isHex, size } from 'viem/utils';
import { invalid } from '../rpc-error.js';

/** A call that an account makes. */
export interface Call {
  to: Hex;
  /** Amount in wei. */
  value: bigint;
  data: Hex;
}

/** A checked call of an account. @throws RpcError -32602. */
export function callOf({ to, value = '0x0', data = '0x' }: { to?: unknown; value?: unknown; data?: unknown }): Call {
  if (typeof to !== 'string' || !isAddress(to, { strict: false }))
    throw invalid('"to" must be an address; accounts make no contracts.');
  if (!isHex(value) || value === '0x' || size(value) > 32) throw invalid('"value" must be a quantity in hex.');
  if (!isHex(data) || data.length % 2 !== 0) throw invalid('"data" must be bytes in hex.');
  return { to, value: BigInt(value), data };
}

// The fees of a transaction (EIP-1559), in wei.
import { ask, type Block, NODE, type Rpc } from '../evm/rpc.js';

export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

const GWEI = 1_000_000_000n;

/** Twice the base fee of the newest block, and the tip that the node suggests, up to the maximum. */
export async function currentFees(rpc: Rpc, block: Block, maximum: bigint): Promise<Fees> {
  const tip = await ask(rpc, NODE.quantity, 'eth_maxPriorityFeePerGas').catch(() => GWEI);
  return bounded({ maxFeePerGas: 2n * (block.baseFeePerGas ?? GWEI) + tip, maxPriorityFeePerGas: tip }, maximum);
}

/** Both fees raised by 15 %, or to the current ones, up to the maximum. Undefined if one would rise by less than 10 %, which nodes refuse. */
export function raisedFees(before: Fees, present: Fees, maximum: bigint): Fees | undefined {
  const raised = bounded(
    {
      maxFeePerGas: larger(percent(before.maxFeePerGas, 115n), present.maxFeePerGas),
      maxPriorityFeePerGas: larger(percent(before.maxPriorityFeePerGas, 115n), present.maxPriorityFeePerGas),
    },
    maximum,
  );
  const isEnough =
    raised.maxFeePerGas >= percent(before.maxFeePerGas, 110n) &&
    raised.maxPriorityFeePerGas >= percent(before.maxPriorityFeePerGas, 110n);
  return isEnough ? raised : undefined;
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
/** Rounded up, so that even 1 wei grows. */
const percent = (value: bigint, rate: bigint): bigint => (value * rate + 99n) / 100n;

function bounded({ maxFeePerGas, maxPriorityFeePerGas }: Fees, maximum: bigint): Fees {
  const maxFee = smaller(maxFeePerGas, maximum);
  return { maxFeePerGas: maxFee, maxPriorityFeePerGas: smaller(larger(maxPriorityFeePerGas, 1n), maxFee) };
}

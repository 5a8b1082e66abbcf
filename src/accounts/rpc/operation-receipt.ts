// The result of a user operation: the EntryPoint's event in the receipt of its transaction (ERC-7769).
import { z } from 'zod';
import { artifactOf } from '../../evm/contracts.js';
import { ask, type Hex, NODE, type Rpc } from '../../evm/rpc.js';
import { viem } from '../../evm/viem.js';
import type { UserOperation } from './operation.js';

const MAX_LOGS = 1_000;

const log = z.looseObject({ address: z.string(), topics: z.array(NODE.hex).max(4), data: NODE.hex });
const fullReceipt = z
  .looseObject({
    transactionHash: NODE.hash,
    blockHash: NODE.hash,
    blockNumber: z.string(),
    logs: z.array(log).max(MAX_LOGS),
  })
  .nullable();

export interface OperationReceipt {
  userOpHash: string;
  entryPoint: string;
  sender: string;
  nonce: string;
  paymaster: string;
  actualGasCost: string;
  actualGasUsed: string;
  success: boolean;
  logs: unknown[];
  receipt: NonNullable<z.output<typeof fullReceipt>>;
}

interface EventArgs {
  userOpHash: string;
  paymaster: string;
  success: boolean;
  actualGasCost: bigint;
  actualGasUsed: bigint;
}

/** The receipt; null until the operation is mined, or if the transaction did not contain it. @throws ChainUnreachable, NodeRefused. */
export async function receiptOf(
  rpc: Rpc,
  of: { hash: string; txHash: string; entryPoint: string; operation: UserOperation },
): Promise<OperationReceipt | null> {
  const receipt = await ask(rpc, fullReceipt, 'eth_getTransactionReceipt', [of.txHash]);
  if (receipt === null) return null;
  const event = await eventOf(receipt.logs, of);
  if (event === undefined) return null;
  const { sender, nonce } = of.operation;
  return {
    userOpHash: of.hash,
    entryPoint: of.entryPoint,
    sender,
    nonce,
    paymaster: event.paymaster,
    actualGasCost: hexOf(event.actualGasCost),
    actualGasUsed: hexOf(event.actualGasUsed),
    success: event.success,
    logs: receipt.logs,
    receipt,
  };
}

async function eventOf(
  logs: readonly z.output<typeof log>[],
  { hash, entryPoint }: { hash: string; entryPoint: string },
): Promise<EventArgs | undefined> {
  const { decodeEventLog } = await viem();
  const abi = artifactOf('EntryPoint').abi;
  for (const { address, topics, data } of logs) {
    if (address.toLowerCase() !== entryPoint.toLowerCase() || topics[1]?.toLowerCase() !== hash) continue;
    const decoded = decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data, strict: false });
    const { eventName, args } = decoded as unknown as { eventName: string; args: EventArgs };
    if (eventName === 'UserOperationEvent') return args;
  }
  return undefined;
}

const hexOf = (value: bigint): Hex => `0x${value.toString(16)}`;

// A bare script: starts anvil, deploys the contracts, anchors one root, and ends when that is in a block. What the gateway's first job is
// compared with.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { chainModule } from './chain-modules.js';

type Hex = `0x${string}`;

const ENTRY_POINT = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108';
const PLENTY = '0xd3c21bcecceda1000000';
const POLL_MS = 20;
const GAS_PRICE = 10_000_000_000n;

const { anvilPath } = await chainModule('chain/anvil');
const { CREATE2_PROXY, deploymentsOf, encoded } = await chainModule('evm/contracts');

const anvil = spawn(anvilPath() ?? '', ['--port', '0', '--accounts', '0'], { stdio: ['ignore', 'pipe', 'ignore'] });
let printed = '';
while (!/Listening on 127\.0\.0\.1:\d+/.test(printed)) printed += String((await once(anvil.stdout, 'data'))[0]);
const url = `http://127.0.0.1:${/Listening on 127\.0\.0\.1:(\d+)/.exec(printed)?.[1]}`;

async function rpc<T>(method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await answer.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

const relayer = privateKeyToAccount(generatePrivateKey());
await rpc('anvil_setBalance', relayer.address, PLENTY);
let nonce = 0;
const send = async (to: Hex, data: Hex): Promise<void> => {
  const gas = BigInt(await rpc<Hex>('eth_estimateGas', { from: relayer.address, to, data }));
  const fees = { maxFeePerGas: GAS_PRICE, maxPriorityFeePerGas: 1n };
  const transaction = { type: 'eip1559', chainId: 31_337, nonce: nonce++, to, data, gas, ...fees } as const;
  const hash = await rpc('eth_sendRawTransaction', await relayer.signTransaction(transaction));
  while ((await rpc('eth_getTransactionReceipt', hash)) === null) await delay(POLL_MS);
};
const deployments = await deploymentsOf(relayer.address, ENTRY_POINT);
for (const { data } of deployments) await send(CREATE2_PROXY, data);
const registry = deployments.find(({ name }) => name === 'AnchorRegistry')?.address ?? '0x';
const root = `0x${'1'.padStart(64, '0')}`;
await send(registry, await encoded('AnchorRegistry', 'anchor', [[{ root, kind: 0, count: 1 }]]));
anvil.kill('SIGKILL');

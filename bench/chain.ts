// What the chain costs: gas, which is exact, on a devnet of the gateway's own, through the public API as a wallet would; then times as ratios.
import { chainModule } from './chain-modules.js';
import { randomUUID } from 'node:crypto';
import { getUserOperationHash } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeFunctionData, numberToHex, parseAbi } from 'viem/utils';
import {
  type Answer,
  anchored,
  type Call,
  type Hex,
  issue,
  once,
  prepare,
  type Setting,
  withContracts,
} from './chain-setting.js';
import { timeBars } from './chain-times.js';
import { GatewayProcess, OPERATOR_KEY, scratchFolder } from './gateway-process.js';
import type { Bar } from './report.js';

const ABI = parseAbi([
  'function execute(address target, uint256 value, bytes data)',
  'function createAccount(address owner, uint256 salt)',
]);

interface Wallet {
  key: ReturnType<typeof privateKeyToAccount>;
  account: Hex;
  headers: Record<string, string>;
  rpc(method: string, ...params: unknown[]): Promise<Answer>;
}

/** A holder whose wallet is registered. */
async function newWallet({ call, token }: Setting): Promise<Wallet> {
  const email = `${randomUUID()}@example.org`;
  const { loginId } = await call('POST', '/v1/auth/login', {}, { 'x-partner-auth': await token({ email }) });
  const operator = { 'x-admin-api-key': OPERATOR_KEY };
  const { messages } = await call('GET', `/v1/sandbox/mailbox?email=${email}`, undefined, operator);
  const session = await call('POST', '/v1/auth/verify', { loginId, code: messages.at(-1).code });
  const headers = { authorization: `Bearer ${session.token}` };
  const gql = async (query: string, variables: object) =>
    (await call('POST', '/graphql', { query, variables }, headers)).data;
  const key = privateKeyToAccount(generatePrivateKey());
  const asked = await gql(
    'mutation ($address: String!) { walletChallenge(input: { address: $address }) { challenge { challengeId message } } }',
    { address: key.address },
  );
  const { challengeId, message } = asked.walletChallenge.challenge;
  const registered = await gql(
    'mutation ($input: InitializeWalletInput!) { initializeWallet(input: $input) { result { abstractAccountAddress } } }',
    { input: { challengeId, signature: await key.signMessage({ message }) } },
  );
  const rpc = async (method: string, ...params: unknown[]) => {
    const answer = await call('POST', '/v1/chain/rpc', { jsonrpc: '2.0', id: 1, method, params }, headers);
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  };
  return { key, account: registered.initializeWallet.result.abstractAccountAddress, headers, rpc };
}

const gasOfTransaction = async ({ rpc }: Wallet, txHash: string): Promise<number> =>
  Number((await once(() => rpc('eth_getTransactionReceipt', txHash))).gasUsed);

async function deployment({ call }: Setting, wallet: Wallet): Promise<number> {
  const { txHash } = await call('POST', '/v1/holders/me/account/deploy', undefined, wallet.headers);
  return gasOfTransaction(wallet, txHash);
}

async function mint({ call }: Setting, wallet: Wallet): Promise<number> {
  await call('POST', '/v1/holders/me/core-id', { name: `b${randomUUID().slice(0, 8)}` }, wallet.headers);
  return once(async () => (await confirmedJobs(call)).find(({ kind }) => kind === 'mint')?.gasUsed);
}

interface Job {
  jobId: string;
  kind: string;
  gasUsed: number;
}

async function confirmedJobs(call: Call): Promise<Job[]> {
  const query = '{ chainJobs(states: [CONFIRMED]) { jobId kind gasUsed } }';
  return (await call('POST', '/graphql', { query }, { 'x-admin-api-key': OPERATOR_KEY })).data.chainJobs;
}

/** Gas of deployments: that of the sandbox's pool, and that of all others but the EntryPoint's. */
async function contractsDeployed({ call, contracts }: Setting): Promise<{ ours: number; sandbox: number }> {
  const pool = (await (await chainModule('evm/contracts')).sandboxPool()).address.toLowerCase();
  const theirs = contracts.entryPoint.toLowerCase();
  const all = (await confirmedJobs(call)).filter(({ kind, jobId }) => kind === 'deploy' && !jobId.endsWith(theirs));
  const gasOf = (jobs: Job[]): number => jobs.reduce((sum, { gasUsed }) => sum + gasUsed, 0);
  const isPool = ({ jobId }: Job): boolean => jobId.endsWith(pool);
  return { ours: gasOf(all.filter((job) => !isPool(job))), sandbox: gasOf(all.filter(isPool)) };
}

async function anchor(setting: Setting, wallet: Wallet): Promise<number> {
  const { transactionHash } = await anchored(setting, await issue(setting));
  return gasOfTransaction(wallet, transactionHash);
}

/** Sends an operation that calls nobody, and returns what its transaction used. */
async function operation({ contracts }: Setting, wallet: Wallet, nonce: bigint, withAccount = false): Promise<number> {
  const { key, account, rpc } = wallet;
  const { accountFactory: factory, entryPoint } = contracts;
  const factoryData = encodeFunctionData({ abi: ABI, functionName: 'createAccount', args: [key.address, 0n] });
  const made = withAccount ? { factory, factoryData } : {};
  const [callGas, verificationGas] = [50_000n, withAccount ? 200_000n : 60_000n];
  const callData = encodeFunctionData({ abi: ABI, functionName: 'execute', args: [key.address, 0n, '0x'] });
  const userOperation = {
    sender: account,
    nonce,
    ...made,
    callData,
    callGasLimit: callGas,
    verificationGasLimit: verificationGas,
    preVerificationGas: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    signature: '0x' as const,
  };
  const on = { chainId: 31_337, entryPointAddress: entryPoint, entryPointVersion: '0.8' } as const;
  const hash = getUserOperationHash({ ...on, userOperation });
  const inHex = Object.entries(userOperation).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? numberToHex(value) : value,
  ]);
  const sent = { ...Object.fromEntries(inHex), signature: await key.sign({ hash }) };
  await rpc('eth_sendUserOperation', sent, entryPoint);
  const { receipt, success } = await once(() => rpc('eth_getUserOperationReceipt', hash));
  if (!success) throw new Error('the operation failed');
  return Number(receipt.gasUsed);
}

const bar = (name: string, measured: number, limit: number): Bar => ({
  name,
  measured,
  limit,
  holds: 'at most',
  unit: 'gas',
});

/** The bars of the chain. */
export async function* chainBars(): AsyncIterable<Bar> {
  const gateway = await GatewayProcess.start(scratchFolder(), { settings: { ANCHOR_INTERVAL_S: '1' } });
  try {
    const setting = await withContracts(await prepare(gateway));
    const [first, second] = [await newWallet(setting), await newWallet(setting)];
    const deployed = await contractsDeployed(setting);
    yield bar('deploy all but the EntryPoint', deployed.ours, 3_200_000);
    yield bar('deploy the sandbox pool and its tokens', deployed.sandbox, 2_600_000);
    yield bar('anchor a batch', await anchor(setting, first), 52_000);
    yield bar('deploy an account', await deployment(setting, first), 155_000);
    yield bar('mint a core id', await mint(setting, first), 100_000);
    // The first one of an account writes its nonce where there was none.
    const began = await operation(setting, first, 0n);
    const sponsored = bar('sponsored operation', await operation(setting, first, 1n), 70_000);
    yield { ...sponsored, detail: `the first one of an account ${began}` };
    yield bar('sponsored operation with deployment', await operation(setting, second, 0n, true), 220_000);
  } finally {
    await gateway.stop();
  }
  yield* timeBars();
}

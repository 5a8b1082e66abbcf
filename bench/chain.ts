// What the chain costs, in gas, on a devnet of the gateway's own: gas is exact. Everything goes through the public API, as a wallet would.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { getUserOperationHash } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeFunctionData, numberToHex, parseAbi } from 'viem/utils';
import { GatewayProcess, OPERATOR_KEY, scratchFolder } from './gateway-process.js';
import type { Bar } from './report.js';

/** Bytes in hex with 0x. */
type Hex = `0x${string}`;

const POLL_MS = 100;
const PARTNER = randomUUID();
const ABI = parseAbi([
  'function execute(address target, uint256 value, bytes data)',
  'function createAccount(address owner, uint256 salt)',
]);

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Answer = any;
type Call = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>;

interface Setting {
  call: Call;
  issuerDid: string;
  token(claims?: object): Promise<string>;
  contracts: { accountFactory: Hex; entryPoint: Hex };
}

interface Wallet {
  key: ReturnType<typeof privateKeyToAccount>;
  account: Hex;
  headers: Record<string, string>;
  rpc(method: string, ...params: unknown[]): Promise<Answer>;
}

const caller =
  (url: string): Call =>
  async (method, path, body, headers = {}) => {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const init = {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const answer = await fetch(url + path, init);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };

/** Asks until there is something. */
async function once<T>(ask: () => Promise<T | null | undefined | false>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    await delay(POLL_MS);
  }
}

async function prepare(gateway: GatewayProcess): Promise<Setting> {
  const call = caller(gateway.url);
  const { issuerDid } = await gateway.put('issuers/bench', { name: 'Bench', issuerFrom: 'bench', managed: true });
  const point = { name: 'note', type: 'string', isRequired: true, description: '' };
  await gateway.put('schemas/bench', { title: 'Bench', description: '', dataPoints: [point] });
  await gateway.put('credentials/bench', { name: 'B', category: 'B', issuerId: 'bench', schemaId: 'bench' });
  const keys = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
  const rights = { scopes: ['issue'], issuerDids: [issuerDid], issueOnBehalf: true };
  await gateway.put(`partners/${PARTNER}`, { name: 'Bench', jwks: { keys: [jwk] }, ...rights });
  const token = (claims: object = {}) =>
    new SignJWT({ partnerId: PARTNER, scope: 'issue', ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k' })
      .setExpirationTime('14m')
      .sign(keys.privateKey);
  const email = 'first@example.org';
  const issuance = { issuerDid, credentialId: 'bench', credentialSubject: { note: 'x' }, email };
  await call('POST', '/v1/credentials/issue-on-behalf', issuance, { 'x-partner-auth': await token() });
  const contracts = await once(async () => {
    const known = (await call('GET', '/v1/chain')).contracts;
    return known.accountFactory && known;
  });
  return { call, issuerDid: String(issuerDid), token, contracts };
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

async function contractsDeployed({ call, contracts }: Setting): Promise<number> {
  const theirs = contracts.entryPoint.toLowerCase();
  const ours = (await confirmedJobs(call)).filter(({ kind, jobId }) => kind === 'deploy' && !jobId.endsWith(theirs));
  return ours.reduce((sum, { gasUsed }) => sum + gasUsed, 0);
}

async function anchor({ call, issuerDid, token }: Setting, wallet: Wallet): Promise<number> {
  const email = `${randomUUID()}@example.org`;
  const issuance = { issuerDid, credentialId: 'bench', credentialSubject: { note: 'x' }, email };
  const { coreClaimHash } = await call('POST', '/v1/credentials/issue-on-behalf', issuance, {
    'x-partner-auth': await token(),
  });
  const status = `/v1/credentials/status?coreClaimHash=${coreClaimHash}`;
  const { transactionHash } = await once(async () => (await call('GET', status)).anchor);
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
    const setting = await prepare(gateway);
    const [first, second] = [await newWallet(setting), await newWallet(setting)];
    yield bar('deploy all but the EntryPoint', await contractsDeployed(setting), 3_200_000);
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
}

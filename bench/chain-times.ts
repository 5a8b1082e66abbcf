// What the chain costs in time, each as a ratio within one run: the first job, issuance beside anchors, the tree, and the start.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { chainModule } from './chain-modules.js';
import { anchored, issue, prepare, type Registered } from './chain-setting.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import { type Bar, median, timed } from './report.js';

const ROUNDS = 5;
const AT_ONCE = 16;
const PER_BLOCK = 300;
const LEAVES = 4_096;
const OFF = { settings: { CHAIN: 'off' } } as const;

const ms = (values: readonly number[]): string => `${median(values).toFixed(0)} ms`;

/** From the start of the bare script's process to its end. */
async function bareScript(): Promise<void> {
  const script = fileURLToPath(new URL('chain-bare.js', import.meta.url));
  const [code] = await once(spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
  if (code !== 0) throw new Error(`the bare script ended with ${code}`);
}

/** From the first issuance's answer to its anchor; devnet and contracts are made in between. */
async function firstJob(): Promise<number> {
  const gateway = await GatewayProcess.start(scratchFolder());
  try {
    const registered = await prepare(gateway);
    const coreClaimHash = await issue(registered);
    return await timed(() => anchored(registered, coreClaimHash));
  } finally {
    await gateway.stop();
  }
}

async function firstJobBar(): Promise<Bar> {
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await timed(bareScript));
    ours.push(await firstJob());
  }
  const detail = `${ms(ours)}; the script ${ms(bare)}`;
  const measured = median(ours) / median(bare);
  return {
    name: 'first job: devnet, contracts, anchor; against a bare script',
    measured,
    limit: 2,
    holds: 'at most',
    unit: '',
    detail,
  };
}

/** Issues a block of claims; returns the hash of the last. */
async function block(registered: Registered): Promise<string> {
  let [next, last] = [0, ''];
  const lane = async (): Promise<void> => {
    while (next++ < PER_BLOCK) last = await issue(registered);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return last;
}

/** Blocks take turns, so that both gateways meet the same moments of the machine; each waits for the anchors of the one before. */
async function rateBar(): Promise<Bar> {
  const gateways = [await GatewayProcess.start(scratchFolder(), OFF), await GatewayProcess.start(scratchFolder())];
  const [off, on] = await Promise.all(gateways.map(prepare));
  if (off === undefined || on === undefined) throw new Error('there are two gateways');
  try {
    await block(off);
    await anchored(on, await block(on));
    const [without, beside]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      without.push(await timed(() => block(off)));
      let last = '';
      beside.push(
        await timed(async () => {
          last = await block(on);
        }),
      );
      await anchored(on, last);
    }
    const rate = (times: readonly number[]): number => (1_000 * PER_BLOCK) / median(times);
    const detail = `${rate(beside).toFixed(0)} a second; without a chain ${rate(without).toFixed(0)}`;
    const measured = rate(beside) / rate(without);
    return { name: 'issuance while anchors go on', measured, limit: 0.9, holds: 'at least', unit: '', detail };
  } finally {
    for (const gateway of gateways) await gateway.stop();
  }
}

/** All hashes of a tree, without the tree: two of each leaf, one of each pair. */
function hashes(digests: readonly string[]): void {
  const pair = Buffer.alloc(64);
  for (const digest of digests) {
    pair.write(digest, 32, 'hex');
    keccak_256(keccak_256(pair));
  }
  for (let at = 1; at < digests.length; at += 1) keccak_256(pair);
}

async function treeBar(): Promise<Bar> {
  const { leafOf, MerkleTree } = await chainModule('chain/merkle');
  const digests = Array.from({ length: LEAVES }, () => randomBytes(32).toString('hex'));
  const whole = async (): Promise<void> => {
    const leaves = digests.map((digest) => leafOf(0, digest));
    const tree = await MerkleTree.of(leaves);
    for (const leaf of leaves) tree.proofOf(leaf);
  };
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    bare.push(await timed(async () => hashes(digests)));
    ours.push(await timed(whole));
  }
  const measured = median(ours) / median(bare);
  const detail = `${ms(ours)}; its hashes ${ms(bare)}`;
  return {
    name: `a tree of ${LEAVES} leaves, with its paths`,
    measured,
    limit: 1.5,
    holds: 'at most',
    unit: '',
    detail,
  };
}

async function readyMs(options: Parameters<typeof GatewayProcess.start>[1]): Promise<number> {
  const gateway = await GatewayProcess.start(scratchFolder(), options);
  await gateway.stop();
  return gateway.readyMs;
}

async function readinessBar(): Promise<Bar> {
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    bare.push(await readyMs(OFF));
    ours.push(await readyMs({}));
  }
  const measured = median(ours) / median(bare);
  const detail = `${ms(ours)}; without a chain ${ms(bare)}`;
  return { name: 'readiness', measured, limit: 1.05, holds: 'at most', unit: '', detail };
}

/** The bars of time. */
export async function* timeBars(): AsyncIterable<Bar> {
  yield await treeBar();
  yield await readinessBar();
  yield await firstJobBar();
  yield await rateBar();
}

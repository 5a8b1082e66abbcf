// Each kind of problem is made, and health, the metric and the parts for operators all say it. What a gateway cannot be brought to in a test is
// given to the check that finds it.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import v8 from 'node:v8';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PROBLEMS, type ProblemKind } from '../../src/base/monitoring/problem-kinds.js';
import { textOf } from '../../src/base/monitoring/problems.js';
import { viem } from '../../src/evm/viem.js';
import { type ChainWorld, startChainWorld } from '../chain/support.js';
import { startTestEngine, type TestEngine } from '../engine/support.js';
import { ANVIL } from '../support/anvil.js';
import { type CutProxy, openCutProxy } from '../support/cut-proxy.js';
import { eventually, until } from '../support/eventually.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { type Membership, startMembership } from '../support/membership.js';
import { startFew } from './few-descriptors.js';
import { BY_CHECK, saidBy, type View } from './said.js';

/** Ports at which nothing listens. */
const NOWHERE = '127.0.0.1:9';
const FULL = 14_031;
const UNAUTHORIZED = 13;
const DAY_MS = 86_400_000;

let engine: TestEngine;
let proxy: CutProxy;
/** A gateway on an engine of its own, behind a proxy. */
let alone: TestGateway;
/** A gateway whose mail server, chain, collector of traces and mirrored network are away. */
let world: Membership;
let chain: ChainWorld | undefined;
beforeAll(async () => {
  engine = await startTestEngine();
  proxy = await openCutProxy(engine.engine.uri);
  alone = await startGateway({ env: { MONGODB_URI: proxy.uri, CHAIN: 'off' } });
  const env = {
    SMTP_URL: `smtp://${NOWHERE}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${NOWHERE}`,
    MIRROR_FROM: `http://${NOWHERE}`,
    ...{ CHAIN_RPC_URL: `http://${NOWHERE}`, CHAIN_ID: '5', RELAYER_PRIVATE_KEY: `0x${'12'.repeat(32)}` },
  };
  world = await startMembership({ env });
  chain = ANVIL === undefined ? undefined : await startChainWorld();
});
afterAll(async () => {
  await chain?.close();
  await world.gateway.close();
  await alone.app.close();
  await proxy.close();
  await engine.close();
});

/** Fails these commands of the store until the test ends. */
async function failing(failCommands: string[], errorCode: number): Promise<View> {
  const failPoint = (mode: string) =>
    engine.client.db('admin').command({ configureFailPoint: 'failCommand', mode, data: { failCommands, errorCode } });
  await failPoint('alwaysOn');
  onTestFinished(async () => void (await failPoint('off')));
  return saidBy(alone);
}

/** The clock of this process, by so much ahead of the store's. */
async function ahead(ms: number): Promise<View> {
  const { now } = Date;
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + ms);
  onTestFinished(() => spy.mockRestore());
  return saidBy(world.gateway);
}

const rows = (name: string) => world.gateway.app.connection.collection(name);
const issue = ({ partner, issuerDid }: Membership) =>
  partner('POST', '/v1/credentials/issue-on-behalf', {
    ...{ issuerDid, credentialId: 'member', credentialSubject: { level: 3, since: '2020-01-01' } },
    email: `${crypto.randomUUID()}@example.org`,
  });

async function certificateThatEnds(at: number): Promise<View> {
  const row = { owner: 'somebody', chain: ['x'], subject: 'CN=x', sha256: 'x', ofSandbox: false };
  await rows('certificates').insertOne({
    _id: `${at}` as never,
    ...row,
    notBefore: new Date(0),
    notAfter: new Date(at),
  });
  return saidBy(world.gateway);
}

async function jobOf(change: object): Promise<View> {
  expect((await issue(world)).status).toBe(200);
  const job = await eventually(async () => {
    const found = await rows('chainJobs').findOne({ open: true });
    expect(found).not.toBeNull();
    return found;
  });
  await rows('chainJobs').updateOne({ _id: job?._id }, change);
  return saidBy(world.gateway);
}

/** Breaks something of the chain, and gives the sender work. */
async function onChain(breaks: (at: ChainWorld) => Promise<unknown>): Promise<View> {
  if (chain === undefined) throw new Error('without anvil this is not run');
  await breaks(chain);
  expect((await issue(chain)).status).toBe(200);
  return saidBy(chain.gateway);
}

/** Uses the relayer's key for a transaction that no gateway sends. */
async function useKey({ chain: node, relayer, relayerKey }: ChainWorld): Promise<void> {
  await node.rpc('anvil_setBalance', relayer, '0xd3c21bcecceda1000000');
  const nonce = Number(await node.rpc('eth_getTransactionCount', relayer, 'latest'));
  const account = (await viem()).privateKeyToAccount(relayerKey);
  const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n, gas: 21_000n, value: 0n };
  const raw = await account.signTransaction({ type: 'eip1559', chainId: 31_337, nonce, to: relayer, ...fees });
  await node.rpc('eth_sendRawTransaction', raw);
}

/** A gateway with the embedded store, which has a devnet. */
async function withDevnet(): Promise<Membership & { dataDir: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'devnet-'));
  const own = await startMembership({ env: { MONGODB_URI: '', DATA_DIR: dataDir, SAMPLE_CATALOG: 'false' } });
  onTestFinished(() => own.gateway.close());
  return { ...own, dataDir };
}

/** How each kind comes to be. */
const WAYS: Record<ProblemKind, () => Promise<View>> = {
  'disk-full': async () => {
    const view = await failing(['insert', 'update', 'delete', 'findAndModify', 'commitTransaction'], FULL);
    const body = { name: 'full', issuerFrom: 'test', managed: true };
    expect((await alone.admin('PUT', '/v1/admin/issuers/full', { body })).status).toBe(503);
    return view;
  },
  'lease-lost': async () => {
    // Of a full disk it is not said, too.
    await eventually(async () => {
      const { problems = [] } = (await alone.rest('GET', '/health/ready')).body;
      expect(problems).not.toContainEqual(expect.stringContaining(PROBLEMS['disk-full'].sentence));
    });
    return failing(['update'], UNAUTHORIZED);
  },
  'event-log-stands': async () => {
    const view = await failing(['update', 'findAndModify'], UNAUTHORIZED);
    const event = { type: 'stored', viewers: {}, payload: {}, channels: [], at: new Date(), pending: true };
    await alone.app.connection.collection('events').insertOne(event);
    return view;
  },
  'clock-drifts': () => ahead(5_000),
  'clock-apart': () => ahead(60_000),
  'heap-small': async () => {
    const { getHeapStatistics } = v8;
    const put = (read: typeof getHeapStatistics): void => {
      v8.getHeapStatistics = read;
      syncBuiltinESMExports();
    };
    put(() => ({ ...getHeapStatistics(), used_heap_size: 95, heap_size_limit: 100 }));
    onTestFinished(() => put(getHeapStatistics));
    return saidBy(world.gateway);
  },
  'descriptors-used': async () => saidBy(await startFew()),
  'search-stopped': async () => {
    const post = Worker.prototype.postMessage;
    const spy = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message, ...more) {
      if (['search', 'fill'].includes(message?.type)) void this.terminate();
      else post.call(this, message, ...(more as []));
    });
    onTestFinished(() => spy.mockRestore());
    expect((await world.gateway.rest('GET', '/v1/catalog/search?q=name')).status).toBe(503);
    return saidBy(world.gateway);
  },
  'mail-not-taken': async () => {
    const headers = { 'x-partner-auth': await world.token({ email: 'a@example.org' }) };
    await world.gateway.rest('POST', '/v1/auth/login', { body: {}, headers });
    return saidBy(world.gateway);
  },
  'chain-away': () => jobOf({ $set: {} }),
  'chain-jobs-wait': () => jobOf({ $set: { createdAt: new Date(0) } }),
  'chain-jobs-failed': () => jobOf({ $set: { state: 'failed' }, $unset: { open: 1 } }),
  'chain-no-devnet': async () => {
    const { arch } = process;
    const put = (value: string) => Object.defineProperty(process, 'arch', { value });
    put('none');
    onTestFinished(() => void put(arch));
    return saidBy((await withDevnet()).gateway);
  },
  'chain-devnet-anew': async () => {
    const own = await withDevnet();
    mkdirSync(join(own.dataDir, 'chain'));
    writeFileSync(join(own.dataDir, 'chain', 'state.json'), '{"cut');
    expect((await issue(own)).status).toBe(200);
    return saidBy(own.gateway);
  },
  'chain-blocks-gone': () =>
    onChain(async (at) => {
      expect((await issue(at)).status).toBe(200);
      const jobs = at.gateway.app.connection.collection('chainJobs');
      await until(async () => (await jobs.findOne({ state: 'confirmed', kind: { $ne: 'deploy' } })) !== null);
      await at.chain.rpc('anvil_rollback', 1);
    }),
  'chain-no-contracts': () =>
    onChain(async ({ chain: node, gateway }) => {
      const { contracts } = await gateway.app.services.chain.link();
      const code = await node.rpc('eth_getCode', contracts.anchorRegistry, 'latest');
      await node.rpc('anvil_setCode', contracts.anchorRegistry, '0x');
      onTestFinished(() => node.rpc('anvil_setCode', contracts.anchorRegistry, code));
    }),
  'chain-no-money': () => onChain(({ chain: node, relayer }) => node.rpc('anvil_setBalance', relayer, '0x0')),
  'chain-key-used': () => onChain(useKey),
  'certificate-ends': () => certificateThatEnds(Date.now() + 20 * DAY_MS),
  'certificate-ended': () => certificateThatEnds(1),
  'key-set-refused': async () => {
    await rows('partners').updateOne({}, { $set: { keySetProblem: 'It publishes the private member "d".' } });
    return saidBy(world.gateway);
  },
  'mirror-stopped': async () => saidBy(world.gateway),
  'webhooks-lost': async () => {
    await issue(world);
    const newest = await eventually(async () => {
      const [row] = await rows('events')
        .find({ seq: { $gt: 1 } })
        .sort({ seq: -1 })
        .limit(1)
        .toArray();
      expect(row).toBeDefined();
      return row?.seq as number;
    });
    await rows('events').deleteMany({ seq: { $lt: newest } });
    const hook = await world.partner('POST', '/v1/webhooks', { url: `http://${NOWHERE}/`, types: ['stored'] });
    expect(hook.status).toBe(201);
    await rows('webhooks').updateMany({}, { $set: { fromSeq: 0 } });
    return saidBy(world.gateway);
  },
  ...BY_CHECK,
  'traces-not-sent': async () => saidBy(world.gateway),
  // The last one: the gateway does not see its store again.
  'store-away': async () => {
    await proxy.close();
    return saidBy(alone);
  },
};

const NEEDS_ANVIL: ReadonlySet<string> = new Set([
  ...['chain-no-devnet', 'chain-devnet-anew', 'chain-no-money', 'chain-key-used', 'chain-no-contracts'],
  'chain-blocks-gone',
]);

describe('a problem of the kind', () => {
  it.for(Object.entries(WAYS) as [ProblemKind, () => Promise<View>][])(
    '%s is said by health, the metric and the parts',
    async ([kind, make], { skip }) => {
      skip(ANVIL === undefined && NEEDS_ANVIL.has(kind), 'anvil is not installed');
      const { part, state } = PROBLEMS[kind];
      const view = await make();
      const sentence = expect.stringContaining(textOf({ kind, note: '' }));
      await eventually(async () => {
        const said = await view();
        if (kind === 'store-away') expect(said.problems).toBeUndefined();
        else expect(said.problems).toContainEqual(sentence);
        // A part that warns may have a problem that is worse.
        expect(said.metrics).toMatch(
          new RegExp(`gateway_problem\\{part="${part}"\\} ${state === 'bad' ? '2' : '[12]'}`),
        );
        const todo = expect.stringMatching(/\w/);
        expect(said.parts).toContainEqual(expect.objectContaining({ part, state, sentence, todo }));
      });
    },
  );
});

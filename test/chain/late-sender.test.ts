// A sender whose lease was lost without its notice changes no job: its successor follows them. And which jobs a sender tries again.
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { Bell } from '../../src/base/concurrency/bell.js';
import { Deployments } from '../../src/chain/deployments.js';
import { dueAt, JobSteps } from '../../src/chain/job-steps.js';
import type { ChainLink } from '../../src/chain/link.js';
import { chainModels, type JobRow } from '../../src/chain/models.js';
import { ChainOutbox } from '../../src/chain/outbox.service.js';
import { chainSender } from '../../src/chain/sender.js';
import { type SenderState, senderCheckpoint } from '../../src/chain/sender-state.js';
import type { Hex } from '../../src/evm/rpc.js';
import { LeaseLost, leaseModels } from '../../src/store/lease.js';
import { processLeaseModels } from '../../src/store/process-rows.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { openElections } from '../support/elections.js';
import { eventually } from '../support/eventually.js';

const CHAIN = 31_337;
const RELAYER: Hex = '0x00000000000000000000000000000000000000aa';
const OTHER: Hex = '0x00000000000000000000000000000000000000bb';
const HASH: Hex = `0x${'12'.repeat(32)}`;
/** The relayer has five mined transactions. */
const RESPONSES: Record<string, unknown> = {
  eth_getTransactionCount: '0x5',
  eth_getBlockByNumber: { number: '0x10', hash: HASH, baseFeePerGas: '0x1' },
  eth_getCode: '0x6001',
};

let database: TestDatabase;
beforeAll(async () => {
  const models = [chainModels, leaseModels, processLeaseModels];
  database = await openDatabase((connection) => models.map((register) => register(connection)));
});
beforeEach(async () => {
  const { connection } = database;
  await chainModels(connection).jobs.deleteMany({});
  await leaseModels(connection).checkpoints.deleteMany({});
});
afterAll(() => database.close());

/** Starts a sender, which is elected; returns its errors. */
function startSender(link: () => Promise<ChainLink>): unknown[] {
  const { connection } = database;
  const models = chainModels(connection);
  const errors: unknown[] = [];
  const config = { kind: 'rpc', chainId: CHAIN, confirmations: 1, maxFee: 10n, entryPoint: OTHER } as never;
  const problems = { raise: () => {}, clear: () => {} };
  const steps = new JobSteps({ connection, models, handlers: {}, retentionMs: undefined, clock: Date.now });
  const outbox = new ChainOutbox({ models, steps, handlers: {}, recordWrites: async () => {}, clock: Date.now });
  const sender = chainSender({
    elections: openElections(connection, (error) => errors.push(error)).elections,
    models,
    config,
    steps,
    deployments: new Deployments({ config, publicUrl: undefined, models, outbox, problems }),
    problems,
    clock: Date.now,
    link,
    unlink: () => {},
    gather: async () => undefined,
    bell: new Bell(),
    onError: (error) => errors.push(error),
    onGone: () => {},
  });
  sender.start();
  onTestFinished(() => sender.stop());
  return errors;
}

const link: ChainLink = {
  chainId: CHAIN,
  relayer: RELAYER,
  contracts: { anchorRegistry: OTHER, coreId: OTHER, accountFactory: OTHER, entryPoint: OTHER },
  rpc: async (method) => RESPONSES[method] ?? null,
  sign: async () => ({ raw: '0x', hash: HASH }),
};

/** A job that was signed: with the relayer's next nonce, as long as nothing else is said. */
const signed = (fields: Partial<JobRow>): JobRow => ({
  _id: 'job',
  kind: 'anchor',
  args: {},
  state: 'signed',
  open: true,
  createdAt: new Date(),
  tries: 0,
  chainId: CHAIN,
  relayer: RELAYER,
  nonce: 5,
  attempts: [{ hash: HASH, raw: '0x', maxFeePerGas: '1', maxPriorityFeePerGas: '1', at: new Date() }],
  story: [],
  ...fields,
});

it.each<[string, Partial<JobRow>, Partial<SenderState>]>([
  ['of its own key, after the operator has let the sender go on', {}, { resume: true }],
  ['that the key of its successor has signed', { relayer: OTHER }, {}],
  ["that is signed for its successor's chain", { chainId: 1 }, {}],
  ["that was given up on its successor's chain", { chainId: 1, givenUp: true }, {}],
  ["that deploys a contract on its successor's chain", { chainId: 1, kind: 'deploy' }, {}],
])('a late sender leaves a job %s', async (_, fields, state) => {
  const { jobs } = chainModels(database.connection);
  await jobs.create(signed(fields));
  const before = await jobs.findById('job').lean();
  // Its successor's term: far newer than any that this test has.
  const checkpoint = { _id: senderCheckpoint(CHAIN, RELAYER), token: 1_000, state: { nonce: 6, ...state } };
  await leaseModels(database.connection).checkpoints.create(checkpoint);
  const errors = startSender(async () => link);
  await eventually(() => expect(errors).toContainEqual(expect.any(LeaseLost)));
  expect(await jobs.findById('job').lean()).toEqual(before);
});

it.each<[string, Date | undefined, boolean]>([
  ['was never tried', undefined, true],
  ['has waited long enough', new Date(Date.now() - 1), true],
  ['waits', new Date(Date.now() + 300_000), false],
  ['waits for longer than any does, because the clock was set back', new Date(Date.now() + 3_600_000), true],
])('the sender decides whether to try a job that %s', async (_, notBefore, isTried) => {
  const { jobs } = chainModels(database.connection);
  const { nonce: __, chainId: ___, relayer: ____, ...queued } = signed({ state: 'queued', attempts: [] });
  await jobs.create({ ...queued, ...(notBefore && { notBefore }) });
  expect(await jobs.countDocuments({ open: true, ...dueAt(Date.now()) })).toBe(isTried ? 1 : 0);
});

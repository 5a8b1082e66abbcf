// 100,000 rows in a slow store whose connections are cut after 3 seconds, while a command over all rows would take 5.
// All work over whole collections must still complete.
import { randomUUID } from 'node:crypto';
import mongoose, { type Connection } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Bell } from '../../src/base/concurrency/bell.js';
import { catalogModels } from '../../src/catalog/rows/models.js';
import { TractionService } from '../../src/catalog/traction/traction.service.js';
import { TractionRuns } from '../../src/catalog/traction/traction-runs.service.js';
import { chainJobEraser } from '../../src/chain/forget.js';
import { recount } from '../../src/cli/traction.js';
import { registerModels } from '../../src/compose/domains.js';
import { EventLog } from '../../src/events/event-log.js';
import { eventEraser } from '../../src/events/forget.js';
import { eventModels } from '../../src/events/models.js';
import { type SequencerState, sequence } from '../../src/events/sequencer.js';
import { foldTraction } from '../../src/events/traction-fold.js';
import { QUEUED_FOR_ANCHORS } from '../../src/issuance/anchoring.js';
import { migrate } from '../../src/store/connection.js';
import { leaseModels, Term } from '../../src/store/lease.js';
import { applyRetention } from '../../src/store/retention.js';
import { updateRows } from '../../src/store/row-updates.js';
import { webhookModels } from '../../src/webhooks/models.js';
import { deliveryEraser } from '../../src/webhooks/forget.js';
import { ended, spawnEngine, tempFolder } from '../engine/support.js';
import { eventually } from '../support/eventually.js';

const ROWS = 100_000;
const DAY_MS = 86_400_000;
const FIRST = Date.parse('2026-03-01T12:00:00Z');
const NEVER = new AbortController().signal;
const SLOW = { microsecondsPerRow: 50 };

let patient: Connection;
let connection: Connection;
let stop: () => Promise<void>;

beforeAll(async () => {
  const folder = tempFolder();
  const { child, uri } = await spawnEngine(folder.path, ['--test-commands']);
  const options = { dbName: 'long', autoIndex: false, autoCreate: false } as const;
  patient = await mongoose.createConnection(uri, options).asPromise();
  registerModels(patient);
  await migrate(patient);
  const separator = uri.includes('?') ? '&' : '?';
  connection = await mongoose.createConnection(`${uri}${separator}socketTimeoutMS=3000`, options).asPromise();
  registerModels(connection);
  stop = async () => {
    await Promise.all([connection.close(), patient.close()]);
    await ended(child, 'SIGTERM');
    folder.remove();
  };
});
afterAll(() => stop());

/** Makes the store's reads slow, or fast again. */
const slow = (mode: 'alwaysOn' | 'off') =>
  patient.getClient().db('admin').command({ configureFailPoint: 'slowReads', mode, data: SLOW });

/** Fills a collection at full speed, and then makes the store slow. */
async function fill(name: string, rowOf: (at: number) => object): Promise<void> {
  await slow('off');
  for (let from = 0; from < ROWS; from += 5_000) {
    const rows = Array.from({ length: 5_000 }, (_, index) => rowOf(from + index));
    await patient.collection(name).insertMany(rows as never[]);
  }
  await slow('alwaysOn');
}

const count = async (name: string, filter: object): Promise<number> => {
  await slow('off');
  return patient.collection(name).countDocuments(filter);
};

const holder = {
  ...{ holderId: 'ada', did: 'did:core:id:ada', email: 'ada@example.org', addresses: [] },
  ...{ at: new Date(), keyName: 'ops', erasureId: randomUUID() },
};

it('a command over all rows fails in this store', async () => {
  await fill('plain', (at) => ({ _id: at, text: `of ${at}` }));
  const all = connection.collection('plain').updateMany({ text: /nobody/ }, { $set: { text: '' } });
  await expect(all).rejects.toThrow(mongoose.mongo.MongoNetworkTimeoutError);
});

it('Deliveries of an erased holder are deleted', async () => {
  const of = (at: number): string => (at % 1_000 === 0 ? 'did:core:id:ada' : `nobody ${at}`);
  await fill('webhookDeliveries', (at) => ({ _id: randomUUID(), webhookId: 'w', body: `{"did":"${of(at)}"}` }));
  await deliveryEraser(connection).erase(holder, NEVER);
  expect(await count('webhookDeliveries', {})).toBe(ROWS - ROWS / 1_000);
  expect(await count('webhookDeliveries', { body: /ada/ })).toBe(0);
});

it('Another retention is applied to all rows', async () => {
  const { webhookDeliveries: model } = webhookModels(connection);
  await patient.collection(model.collection.name).deleteMany({});
  const [former, expireAt] = [DAY_MS, new Date(Date.now() + 30 * DAY_MS)];
  await fill(model.collection.name, () => ({ _id: randomUUID(), webhookId: 'w', expireAt }));
  await applyRetention({ model, end: 'expireAt', ms: 2 * DAY_MS, formerMs: former }, NEVER);
  const moved = { expireAt: new Date(expireAt.getTime() + DAY_MS), retentionMs: 2 * DAY_MS };
  expect(await count(model.collection.name, moved)).toBe(ROWS);
  // A busy machine takes more than ten minutes.
}, 1_800_000);

it('Jobs of an erased holder are found by an index', async () => {
  const of = (at: number): string => (at % 1_000 === 0 ? 'ada' : `nobody ${at}`);
  await fill('chainJobs', (at) => ({ _id: randomUUID(), holderId: of(at), createdAt: new Date() }));
  await chainJobEraser(connection).erase(holder, NEVER);
  expect(await count('chainJobs', {})).toBe(ROWS - ROWS / 1_000);
});

describe('100,000 issuances', () => {
  beforeAll(async () => {
    const expireAt = new Date(Date.now() + 100 * DAY_MS);
    await fill('issuances', issuanceOf);
    await fill('firstHoldings', firstHoldingOf);
    await fill('events', (at) => ({ ...eventOf(at), seq: at + 1, expireAt }));
    await countAll();
  }, 900_000);
  beforeEach(() => slow('alwaysOn'));

  it('100,000 issuances of an earlier version are queued for the chain', async () => {
    await updateRows(connection, [QUEUED_FOR_ANCHORS]);
    expect(await count('issuances', { toAnchor: { $exists: true } })).toBe(ROWS);
  });

  it('the events of 100,000 issuances lose an erased holder', async () => {
    await eventEraser(connection).erase({ ...holder, holderId: 'holder 7' }, NEVER);
    expect(await count('events', { 'viewers.holderId': 'holder 7' })).toBe(0);
  });

  it('the retention of the events of 100,000 issuances is shortened', async () => {
    await shortenTo(DAY_MS);
    expect(await count('events', { expireAt: { $lt: new Date(Date.now() + 2 * DAY_MS) } })).toBe(ROWS);
  });

  it('100,000 issuances get their traction over time', async () => {
    await fold();
    await slow('off');
    expect(await recount(patient)).toMatchObject({ sound: true });
  }, 900_000);
});

const createdAt = (at: number): Date => new Date(FIRST + Math.floor(at / 1_000) * DAY_MS);
const idsOf = (at: number) => ({ credentialId: `credential${at % 10}`, issuerId: 'club' });

const issuanceOf = (at: number): object => ({
  ...{ _id: randomUUID(), ...idsOf(at), coreClaimHash: `hash ${at}`, revocationNonce: `${at}`, live: true },
  ...{ holderId: `holder ${at}`, createdAt: createdAt(at), anchoredAt: null, revokedAt: null, expiredAt: null },
});

/** Each row is the first holding of its holder. */
const firstHoldingOf = (at: number): object => {
  const of = `credential${at % 10}`;
  return { _id: `credential ${of} holder ${at}`, scope: 'credential', of, holderId: `holder ${at}`, at: createdAt(at) };
};

const eventOf = (at: number): object => ({
  ...{ type: 'submitted', viewers: { holderId: `holder ${at}` }, at: createdAt(at), channels: [`holder:holder ${at}`] },
  payload: { ...idsOf(at), coreClaimHash: `hash ${at}`, firstOfCredential: true },
});

/** The counts of the catalog, as folds would have stored them. */
async function countAll(): Promise<void> {
  await slow('off');
  const own = (issuanceCount: number, holderCount: number) => ({ issuanceCount, holderCount, verificationCount: 0 });
  const traction = (...counts: [number, number]) => ({ base: own(0, 0), own: own(...counts) });
  const credentials = Array.from({ length: 10 }, (_, at) => ({
    ...{ _id: `credential${at}`, traction: traction(ROWS / 10, ROWS / 10), popularity: 0 },
  }));
  await patient.collection('credentials').insertMany(credentials as never[]);
  const club = { _id: 'club', issuerDid: 'did:club', traction: traction(ROWS, 0), popularity: 0 };
  await patient.collection('issuers').insertOne(club as never);
}

/** Does what the sequencer does when it starts with another retention. */
async function shortenTo(retentionMs: number): Promise<void> {
  const end = new AbortController();
  const term = new Term(leaseModels(connection), 1, end.signal);
  const checkpoint = await term.checkpoint<SequencerState>('sequencer');
  await checkpoint.advance({ lastSeq: ROWS, upTo: ROWS } as SequencerState);
  const models = eventModels(connection);
  const running = sequence(term, { connection, models, clock: Date.now, retentionMs, onStamped: () => {} });
  const shortened = async () => {
    const state = await checkpoint.state();
    expect(state?.expireAt?.getTime()).toBeLessThan(Date.now() + 2 * DAY_MS);
  };
  await Promise.race([running, eventually(shortened, 300_000)]);
  end.abort();
  await running;
}

async function fold(): Promise<void> {
  const end = new AbortController();
  const leases = leaseModels(connection);
  await leases.checkpoints.create({ _id: 'traction', token: 1, state: { seq: ROWS } });
  const running = foldTraction(new Term(leases, 1, end.signal), new Bell(), {
    connection,
    log: new EventLog(eventModels(connection), Date.now),
    traction: new TractionService(catalogModels(connection)),
    runs: new TractionRuns(catalogModels(connection)),
    clock: Date.now,
    intervalMs: 1,
  });
  const made = async () => {
    const row = await leases.checkpoints.findById('traction').lean<{ state: { day?: string } }>();
    expect(row?.state.day).toBeDefined();
  };
  await Promise.race([running, eventually(made, 600_000)]);
  end.abort();
  await running;
}

// Two imports write the same entries at once through two gateways, beside single writes; one gateway is killed, and its import repeated.
// In the end, results, catalog, counters, events, audit log and caches agree. More rounds: SEED=7 ROUNDS=10 npx vitest run <this file>
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyChain } from '../../../src/audit/verify.js';
import { catalogModels } from '../../../src/catalog/rows/models.js';
import { eventModels } from '../../../src/events/models.js';
import { eventually } from '../../support/eventually.js';
import type { GatewayProcess } from '../../support/gateway-process.js';
import { recountedState, storedState } from '../admin/admin-store.js';
import { dice } from '../network.js';
import { type Gateways, startGateways } from './gateways.js';
import {
  credentialId,
  FLEETING,
  foundation,
  importInto,
  type LineResult,
  linesOf,
  pointsOf,
  SCHEMAS,
} from './import-lines.js';
import {
  auditedChanges,
  brokenChains,
  falseResults,
  type ImportRun,
  missingEvents,
  type SingleWrite,
} from './import-truth.js';
import { ask, type Question, someQuestion } from './questions.js';
import { firstWrite, pick, type Roll, send } from './writes.js';

const SEED = Number(process.env.SEED ?? 1);
const ROUNDS = Number(process.env.ROUNDS ?? 1);
const QUESTIONS = 25;

let gateways: Gateways;
beforeAll(async () => {
  gateways = await startGateways();
});
afterAll(() => gateways.close());

let number = 0;

/** One write of one entry. Returns it if the gateway has confirmed it and it concerns a credential. */
async function singleWrite(gateway: GatewayProcess, roll: Roll): Promise<SingleWrite | undefined> {
  number += 1;
  const id = credentialId(roll(10_000));
  const issuer = { name: FLEETING, issuerDid: `did:web:${FLEETING}.example`, issuerFrom: 'EU' };
  const schema = { title: pick(SCHEMAS, roll), description: '', dataPoints: pointsOf(number) };
  const counts = { holderCount: roll(9), issuanceCount: roll(9), verificationCount: roll(9) };
  const traction = {
    kind: 'issuers',
    id: 'ti0',
    ...issuer,
    name: 'ti0',
    issuerDid: 'did:web:ti0.example',
    traction: counts,
  };
  switch (roll(8)) {
    case 0:
      await send(gateway, { method: 'PUT', path: `/v1/admin/issuers/${FLEETING}`, body: issuer });
      return undefined;
    case 1:
      await send(gateway, { method: 'DELETE', path: `/v1/admin/issuers/${FLEETING}` });
      return undefined;
    case 2:
      await send(gateway, { method: 'PUT', path: `/v1/admin/schemas/${schema.title}`, body: schema });
      return undefined;
    case 3:
      await send(gateway, { method: 'POST', path: '/v1/admin/import', body: `${JSON.stringify(traction)}\n` });
      return undefined;
    case 4:
    case 5: {
      const status = await send(gateway, { method: 'DELETE', path: `/v1/admin/credentials/${id}` });
      return status === 204 ? { id } : undefined;
    }
    default: {
      const name = `single ${number}`;
      const body = { name, category: 'single', issuerId: 'ti1', schemaId: pick(SCHEMAS, roll) };
      const status = await send(gateway, { method: 'PUT', path: `/v1/admin/credentials/${id}`, body });
      return status === 200 ? { id, name } : undefined;
    }
  }
}

/** Writes and reads through the gateways that are not killed, until the imports have ended. */
async function writeAndRead(roll: Roll, questions: readonly Question[], ended: AbortSignal): Promise<SingleWrite[]> {
  const { cached, uncached } = gateways;
  const written: SingleWrite[] = [];
  const writing = async (): Promise<void> => {
    while (!ended.aborted) written.push(...[(await singleWrite(pick([cached[0], uncached], roll), roll)) ?? []].flat());
  };
  const reading = async (): Promise<void> => {
    while (!ended.aborted) expect((await ask(cached[0], pick(questions, roll))).status).toBeLessThan(500);
  };
  await Promise.all([writing(), reading()]);
  return written;
}

/** Imports B, kills the gateway after its first results, and imports B again. */
async function importTwice(gateway: GatewayProcess): Promise<ImportRun[]> {
  const lines = linesOf('B');
  const results = await importInto(gateway, lines, () => gateway.stop('SIGKILL'));
  await gateway.start();
  return [
    { lines, results },
    { lines, results: await importInto(gateway, lines) },
  ];
}

/** The gateways with caches have the response of the one without. */
async function expectSameEverywhere(question: Question): Promise<void> {
  const { cached, uncached } = gateways;
  const { status, text } = await ask(uncached, question);
  expect(status).toBeLessThan(500);
  for (const gateway of cached)
    expect(await ask(gateway, question), JSON.stringify(question)).toMatchObject({ status, text });
}

it(`two imports of the same entries, one of them killed and repeated, leave one truth (SEED=${SEED})`, async () => {
  const { database, cached, all } = gateways;
  const models = catalogModels(database.connection);
  const roll = dice(SEED);
  expect(await send(cached[0], firstWrite(roll))).toBe(200);
  expect(await send(cached[0], { method: 'POST', path: '/v1/admin/import', body: foundation() })).toBe(200);
  const runs: ImportRun[] = [];
  const singles: SingleWrite[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const questions = Array.from({ length: QUESTIONS }, () => someQuestion(roll, []));
    const ended = new AbortController();
    const beside = writeAndRead(roll, questions, ended.signal);
    const importing = async (): Promise<LineResult[]> => importInto(cached[0], linesOf('A'));
    const [results, repeated] = await Promise.all([importing(), importTwice(cached[1])]);
    ended.abort();
    singles.push(...(await beside));
    expect(results.length).toBe(linesOf('A').length);
    expect(repeated.map(({ results: { length }, lines }) => length === lines.length)).toEqual([false, true]);
    runs.push({ lines: linesOf('A'), results }, ...repeated);

    await eventually(async () => expect(await models.counterNotes.countDocuments()).toBe(0));
    expect(await storedState(models)).toEqual(await recountedState(models));
    const changes = await auditedChanges(database.connection);
    expect(falseResults(runs, singles, changes, FLEETING)).toEqual([]);
    expect(await brokenChains(database.connection, changes)).toEqual([]);
    expect(await missingEvents(database.connection, changes)).toEqual([]);
    await eventually(async () =>
      expect(await verifyChain(database.connection)).toMatchObject({ pending: 0, outside: 0 }),
    );
    expect(await verifyChain(database.connection)).not.toHaveProperty('broken');
    const { events } = eventModels(database.connection);
    await eventually(async () => expect(await events.countDocuments({ pending: true })).toBe(0));
    const [last] = await events.find().sort({ seq: -1 }).limit(1).lean();
    expect(last?.seq).toBe(await events.countDocuments());
    for (const question of questions) await eventually(() => expectSameEverywhere(question));
    // A repeated import changes nothing once it runs alone.
    const alone = await importInto(pick(all, roll), linesOf('A'));
    runs.push({ lines: linesOf('A'), results: alone });
    const again = await importInto(pick(all, roll), linesOf('A').slice(1_500));
    expect(new Set(again.map(({ result }) => result))).toEqual(new Set(['unchanged', 'refused']));
  }
});

// The hash chain of the audit log: what is written is sealed, what is changed or taken out afterwards is found.
import { createHash, randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import canonicalize from 'canonicalize';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.js';
import { type AuditModels, type AuditRow, auditModels } from '../../src/audit/models.js';
import { auditSealer } from '../../src/audit/sealer.js';
import { type ChainReport, verifyChain } from '../../src/audit/verify.js';
import { loadConfig } from '../../src/base/config/config.js';
import { Terminal } from '../../src/cli/output.js';
import { exportAudit, verifyAudit } from '../../src/cli/audit.js';
import { leaseModels } from '../../src/store/lease.js';
import { importInto } from '../catalog/admin/admin-fixture.js';
import { openElections } from '../support/elections.js';
import { databaseUri, startGateway, type TestGateway } from '../support/gateway.js';

const NAME = 'chained';
let gateway: TestGateway;
let models: AuditModels;
beforeEach(async () => {
  gateway = await startGateway();
  models = auditModels(gateway.app.connection);
});
afterEach(() => gateway.close());

const verify = (expected?: string): Promise<ChainReport> => verifyChain(gateway.app.connection, expected);
const write = (name: string) => {
  const body = { name, verifierDid: `did:web:${name}.example` };
  return gateway.admin('PUT', `/v1/admin/verifiers/${NAME}`, { body });
};
async function sealed(count: number): Promise<void> {
  await expect.poll(() => models.entries.countDocuments({ seq: { $exists: true } })).toBe(count);
}
const importVerifiers = (entries: readonly object[]) =>
  importInto(
    gateway,
    entries.map((entry) => ({ kind: 'verifiers', ...entry })),
  );
/** Entries of a subject, oldest first, as operators read them. */
async function found(subject: string) {
  const query =
    'query($s: String) { auditEntries(where: {subject: $s}, first: 100) { nodes { operation subject subjects outcome before after } } }';
  const headers = { 'x-admin-api-key': gateway.operatorKey };
  const { data } = await gateway.gql(query, { s: subject }, headers);
  return (data.auditEntries.nodes as Found[]).reverse();
}
type State = Record<string, { name: string }>;
type Found = { operation: string; subject: string; subjects: string[]; outcome: string; before: State; after: State };
/** The end of the chain is saved after the rows. */
async function saved(seq: number): Promise<void> {
  const { checkpoints } = leaseModels(gateway.app.connection);
  const end = async () => (await checkpoints.findById('audit').lean<{ state?: { seq: number } }>())?.state?.seq;
  await expect.poll(end).toBe(seq);
}
async function threeWrites(): Promise<void> {
  for (const name of ['one', 'two', 'three']) expect((await write(name)).status).toBe(200);
  await saved(3);
}
const { entries } = { entries: (filter: object) => models.entries.findOne(filter).lean<AuditRow>() };
const environment = () => ({ MONGODB_URI: databaseUri(gateway.app.connection.name), DATA_DIR: '/nowhere' });
const config = () => loadConfig(environment());

describe('The hash chain', () => {
  it('up to 250 lines of an import share one entry, which is found by each of them', async () => {
    const line = (at: number, name: string) => ({ id: `v-${at}`, name, verifierDid: `did:web:v-${at}.example` });
    const lines = (name: string, last = 600) => Array.from({ length: last }, (_, at) => line(at, name));
    await importVerifiers(lines('Old'));
    // Line 600 names an entry a second time: it is a change of what line 300 wrote.
    await importVerifiers([...lines('New', 300), line(299, 'Newest'), ...lines('Old').slice(300)]);
    await sealed(6);
    const rows = await models.entries.find().sort({ createdAt: 1 }).lean<AuditRow[]>();
    const sizes = (outcome: string) =>
      rows.filter((row) => row.outcome === outcome).map(({ subject }) => [subject].flat().length);
    expect(sizes('created').sort()).toEqual([100, 250, 250]);
    expect(sizes('updated').sort((a, b) => a - b)).toEqual([1, 50, 250]);
    for (const at of [0, 250, 599]) {
      const [created] = await found(`v-${at}`);
      expect(created).toMatchObject({ operation: 'verifier.put', outcome: 'created', before: null });
      expect(created?.subjects).toHaveLength(at === 599 ? 100 : 250);
      expect(created?.subject).toBe(created?.subjects[0]);
      expect(created?.after[`v-${at}`]).toMatchObject({ name: 'Old', verifierDid: `did:web:v-${at}.example` });
    }
    const [, changed] = await found('v-7');
    expect([changed?.before['v-7']?.name, changed?.after['v-7']?.name]).toEqual(['Old', 'New']);
    const again = (await found('v-299')).find(({ subjects }) => subjects.length === 1);
    expect(again).toMatchObject({ before: { name: 'New' }, after: { name: 'Newest' } });
    const report = await verify();
    expect(report).toMatchObject({ verified: 6, pending: 0, outside: 0 });
    expect(report.broken).toBeUndefined();
    // One line of one entry is changed.
    await models.entries.updateOne({ subject: 'v-400' }, { $set: { 'subject.0': 'v-x' } });
    expect((await verify()).broken).toMatchObject({ what: 'changed' });
  });

  it('the chain covers every member of its entries, in order, by the documented formula', async () => {
    await threeWrites();
    const report = await verify();
    expect(report).toMatchObject({ verified: 3, pending: 0, outside: 0, end: { seq: 3 } });
    expect(report.broken).toBeUndefined();
    const out = new PassThrough();
    const exported = text(out);
    await exportAudit({ operation: 'verifier.put' }, new Terminal(out, process.stderr, environment()));
    out.end();
    const lines = (await exported)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    let previous = '0'.repeat(64);
    for (const { hash, ...members } of lines) {
      expect(members.previous).toBe(previous);
      expect(
        createHash('sha256')
          .update(canonicalize(members) ?? '')
          .digest('hex'),
      ).toBe(hash);
      previous = hash;
    }
    expect(previous).toBe(report.end.hash);
  });

  it('audit verify finds an entry with any changed member', async () => {
    await threeWrites();
    const row = await entries({ seq: 2 });
    for (const [field, value] of Object.entries({
      actor: 'operator somebody',
      subject: 'other',
      after: '{"name":"two!"}',
      requestId: null,
      createdAt: new Date(0),
      hash: 'a'.repeat(64),
    })) {
      await models.entries.updateOne({ seq: 2 }, { $set: { [field]: value } });
      expect((await verify()).broken).toEqual({ seq: 2, what: 'changed' });
      await models.entries.updateOne({ seq: 2 }, { $set: { [field]: row?.[field as keyof AuditRow] } });
    }
    expect((await verify()).broken).toBeUndefined();
  });

  it('audit verify finds a missing entry, also the newest, even after later ones are added', async () => {
    await threeWrites();
    await models.entries.deleteOne({ seq: 3 });
    expect((await verify()).broken).toEqual({ seq: 3, what: 'missing' });
    await write('four');
    await saved(4);
    expect((await verify()).broken).toEqual({ seq: 3, what: 'missing' });
    await models.entries.deleteOne({ seq: 1 });
    expect((await verify()).broken).toEqual({ seq: 1, what: 'missing' });
  });

  it('audit verify finds entries outside of the chain, and counts pending ones', async () => {
    await threeWrites();
    await models.entries.updateOne({ seq: 3 }, { $unset: { seq: 1, previous: 1, hash: 1 } });
    expect(await verify()).toMatchObject({ outside: 1, broken: { seq: 3, what: 'missing' } });
  });

  it('audit verify --expect finds a chain that was rewritten as a whole', async () => {
    await threeWrites();
    const { end } = await verify();
    expect((await verify(end.hash)).broken).toBeUndefined();
    await write('four');
    await sealed(4);
    expect((await verify(end.hash)).broken).toBeUndefined();
    expect((await verify('b'.repeat(64))).broken).toEqual({ seq: 4, what: 'not what was expected' });
    // Everything anew, with the saved end: only who kept the hash can tell.
    await leaseModels(gateway.app.connection).checkpoints.deleteMany({ _id: 'audit' });
    await models.entries.updateMany({}, { $set: { actor: 'operator nobody', pending: true }, $unset: { seq: 1 } });
    const [before] = [await models.entries.countDocuments()];
    const again = auditSealer({ ...openElections(gateway.app.connection), models });
    again.start();
    await sealed(before);
    await again.stop();
    expect((await verify(end.hash)).broken).toMatchObject({ what: expect.any(String) });
  });

  it('the chain has one order however many processes seal, and continues when one is stopped', async () => {
    const { connection } = gateway.app;
    const { record } = new AuditLog(models, Date.now);
    const caller = { kind: 'operator', keyName: 'test', role: 'all' } as const;
    const sealers = [1, 2].map(() => auditSealer({ ...openElections(connection), models }));
    for (const sealer of sealers) sealer.start();
    const entry = { operation: 'verifier.put', outcome: 'created', after: { name: 'x' } } as const;
    const one = () =>
      connection.transaction(async (session) => record(caller, [{ ...entry, subject: randomUUID() }], session));
    for (let round = 0; round < 5; round += 1) await Promise.all(Array.from({ length: 20 }, one));
    await sealers[0]?.stop();
    await Promise.all(Array.from({ length: 20 }, one));
    await sealed(120);
    await sealers[1]?.stop();
    expect(await verify()).toMatchObject({ verified: 120, pending: 0 });
  });

  it('an aborted transaction leaves no entry', async () => {
    const { record } = new AuditLog(models, Date.now);
    const entry = { operation: 'verifier.put', subject: 'aborted', outcome: 'created' } as const;
    const failing = gateway.app.connection.transaction(async (session) => {
      await record({ kind: 'operator', keyName: 'test', role: 'all' }, [entry], session);
      throw new Error('aborted');
    });
    await expect(failing).rejects.toThrow('aborted');
    expect(await entries({ subject: 'aborted' })).toBeNull();
  });

  it('the command audit verify has an exit code, and prints the end of the chain', async () => {
    await threeWrites();
    const { end } = await verify();
    const good = await verifyAudit(config(), { expect: end.hash });
    expect(good).toMatchObject({ sound: true, json: { verified: 3, end } });
    expect(good.lines).toContain(`end 3 ${end.hash}`);
    await models.entries.updateOne({ seq: 2 }, { $set: { subject: 'other' } });
    const bad = await verifyAudit(config(), {});
    expect(bad.sound).toBe(false);
    expect(bad.lines.at(-1)).toBe('broken: entry 2 is changed');
    expect(() => verifyAudit(config(), { expect: 'x' })).toThrow('--expect must be 64 hex digits.');
  });
});

describe('The audit log in GraphQL', () => {
  const PAGE = `query ($first: Int, $after: String, $where: AuditWhere) {
    auditEntries(first: $first, after: $after, where: $where) {
      totalCount pageInfo { hasNextPage endCursor }
      nodes { operation actor subject outcome before after seq hash requestId kid at } } }`;
  const page = async (variables: object) =>
    gateway.gql(PAGE, variables as Record<string, unknown>, { 'x-admin-api-key': gateway.operatorKey });

  it('GraphQL returns audit entries in pages, newest first, and filters them', async () => {
    await threeWrites();
    const first = (await page({ first: 2 })).data.auditEntries;
    expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
    expect(first.nodes.map(({ after }: { after: { name: string } }) => after.name)).toEqual(['three', 'two']);
    const rest = (await page({ first: 2, after: first.pageInfo.endCursor })).data.auditEntries;
    expect(rest.nodes).toMatchObject([{ before: null, seq: 1, outcome: 'created', actor: 'operator configured' }]);
    const counted = async (where: object) => (await page({ where })).data.auditEntries.totalCount;
    expect(await counted({ subject: NAME })).toBe(3);
    expect(await counted({ actor: 'operator configured', operation: 'verifier.put' })).toBe(3);
    expect(await counted({ operation: 'partner.put' })).toBe(0);
    expect(await counted({ from: rest.nodes[0].at, to: first.nodes[0].at })).toBe(2);
  });

  it('GraphQL refuses filters without an index, and unknown operations', async () => {
    const codeOf = async (where: object) => (await page({ where })).errors?.[0]?.extensions.code;
    expect(await codeOf({ subject: 'x', actor: 'y' })).toBe('BAD_USER_INPUT');
    expect(await codeOf({ operation: 'constructor' })).toBe('BAD_USER_INPUT');
    expect(await codeOf({ actor: '' })).toBe('BAD_USER_INPUT');
  });
});

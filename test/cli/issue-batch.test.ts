// `issue-batch` as a partner runs it: a CSV in, a result for each row out, and nothing issued twice; `traction verify` after it.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRows } from '../../src/cli/batch-file.js';
import { until } from '../support/eventually.js';
import { databaseUri, startGateway, type TestGateway } from '../support/gateway.js';
import { registerIssuer } from '../support/partner.js';
import { folderOf, runCli } from './run-cli.js';

// Each run is a process of its own.
const PARTNER = '0b6f3c1e-6d0b-4d6e-9a43-3d5c1f7a9b10';
const MONGODB_URI = databaseUri(`test_cli_${process.pid}`);
const CSV = `email,expiration,credentialSubject.note
one@example.org,2999-01-01T00:00:00Z,"""first, with a comma"""
two@example.org,,
three@example.org,tomorrow,"""x"""
four@example.org,,"""fourth"""
`;

let gateway: TestGateway;
let issuerDid: string;
let key: string;

beforeAll(async () => {
  gateway = await startGateway({ env: { MONGODB_URI } });
  issuerDid = await registerIssuer(gateway, 'cli');
  const pair = await generateKeyPair('ES256', { extractable: true });
  key = JSON.stringify({ ...(await exportJWK(pair.privateKey)), kid: 'cli-key' });
  const body = {
    name: 'P',
    jwks: { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'cli-key', alg: 'ES256', use: 'sig' }] },
    scopes: ['issue'],
    issuerDids: [issuerDid],
    issueOnBehalf: true,
    allowedOrigins: [],
    requireTyp: true,
  };
  expect((await gateway.admin('PUT', `/v1/admin/partners/${PARTNER}`, { body })).status).toBe(200);
});
afterAll(() => gateway.close());

const issue = (folder: string, ...more: string[]) =>
  runCli([
    ...['issue-batch', join(folder, 'people.csv'), '--url', gateway.url, '--issuer', issuerDid],
    ...['--credential', 'cli-credential', '--key-file', join(folder, 'key.json'), '--partner-id', PARTNER, ...more],
  ]);

describe('issue-batch', () => {
  it('issue-batch writes a result for each row of the file, and issues nothing twice when it is repeated', async () => {
    const folder = folderOf({ 'people.csv': CSV, 'key.json': key });
    const { code, out } = await issue(folder);
    expect(code).toBe(1);
    expect(out).toContain('2 of 4 rows issued');
    const file = join(folder, 'people.csv.result.csv');
    const results = readFileSync(file, 'utf8');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(parse(results, { columns: true })).toMatchObject([
      { row: '1', email: 'one@example.org', state: 'ISSUED', coreClaimHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { row: '2', state: 'FAILED', code: 'BAD_USER_INPUT', message: expect.stringContaining('note') },
      { row: '3', state: 'REFUSED', message: expect.stringContaining('expiration') },
      { row: '4', state: 'ISSUED', userUuid: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
    await issue(folder);
    expect(readFileSync(file, 'utf8')).toBe(results);
    expect(await gateway.app.connection.collection('issuances').countDocuments()).toBe(2);
  });

  it('issue-batch sends a long file in parts, and only checks it in a dry run', async () => {
    const lines = Array.from({ length: 600 }, (_, index) => `dry-${index}@example.org,"""n"""\n`);
    const people = `email,credentialSubject.note\n${lines.join('')}`;
    const folder = folderOf({ 'people.csv': people, 'key.json': key });
    const { code, out } = await issue(folder, '--dry-run', '--result', join(folder, 'out.csv'));
    expect([code, out]).toEqual([0, expect.stringContaining('600 of 600 rows fit')]);
    expect(readFileSync(join(folder, 'out.csv'), 'utf8').trim().split('\r\n')).toHaveLength(601);
    const jobs = await gateway.app.connection
      .collection('issuanceJobs')
      .find({ dryRun: true, total: { $gte: 100 } })
      .toArray();
    expect(jobs.map(({ total }) => total).sort()).toEqual([100, 500]);
  });

  it('issue-batch reports each fault in one sentence', async () => {
    const folder = folderOf({ 'people.csv': 'email,colour\na@example.org,red\n', 'key.json': key });
    expect(await issue(folder)).toMatchObject({ code: 1, err: expect.stringContaining('"colour" is unknown') });
    const noKey = folderOf({ 'people.csv': CSV, 'key.json': 'no key' });
    expect(await issue(noKey)).toMatchObject({ code: 1, err: expect.stringContaining('no private key') });
  });

  it.each([
    ['2999-12-31', '2999-12-31T00:00:00.000Z'],
    ['2999-12-31T12:00:00+02:00', '2999-12-31T10:00:00.000Z'],
    ['2999-02-30', undefined],
    ['2999-12-31 12:00', undefined],
    ['2999-12-31T12:00:00', undefined],
  ])('issue-batch reads the expiration %s as %s', (cell, expiresAt) => {
    const [row] = readRows(`email,expiration\nx@example.org,${cell}\n`, undefined);
    if (expiresAt === undefined) expect(row).toMatchObject({ message: expect.stringContaining('expiration') });
    else expect(row).toMatchObject({ expiresAt });
  });

  it('issue-batch reads nested fields and JSON of every kind', () => {
    const rows = readRows(
      '\ufeffemail,credentialSubject.a.b,credentialSubject.a.c\nx@example.org,1,"[true,null]"\n',
      undefined,
    );
    const subject = JSON.stringify((rows[0] as { credentialSubject: object }).credentialSubject);
    expect(subject).toBe('{"a":{"b":1,"c":[true,null]}}');
  });
});

describe('traction verify', () => {
  it('traction verify confirms correct counts, and names incorrect ones', async () => {
    const verify = () => runCli(['traction', 'verify'], { MONGODB_URI, DATA_DIR: folderOf() });
    const credentials = gateway.app.connection.collection('credentials');
    await until(async () => (await credentials.findOne({ 'traction.own.issuanceCount': 2 })) !== null);
    expect(await verify()).toMatchObject({
      code: 0,
      out: '2 credentials, issuers and programs recounted: all as stored\n',
    });
    await credentials.updateOne({ 'traction.own.issuanceCount': 2 }, { $set: { 'traction.own.holderCount': 1 } });
    const { code, out } = await verify();
    expect(code).toBe(1);
    expect(out).toContain(
      'credential cli-credential: 2 issuances, 1 holders, 0 verifications stored, 2 issuances, 2 holders, 0 verifications counted',
    );
  });
});

// What `issue-batch` can be told: which token or key, only to check, to try again what failed.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { exportJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { registerIssuer } from '../support/partner.js';
import { folderOf, runCli } from './run-cli.js';

const PARTNER = '7d0c2b4e-58a1-4c55-8f6d-2f3f6b1c9a77';

// Each run is a process of its own, several in a test.
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

let gateway: TestGateway;
let issuerDid: string;

beforeAll(async () => {
  gateway = await startGateway();
  issuerDid = await registerIssuer(gateway, 'cli');
  const keys = [
    { ...(await exportJWK(p256.publicKey)), kid: 'p256', alg: 'ES256', use: 'sig' },
    { ...(await exportJWK(rsa.publicKey)), kid: 'rsa', alg: 'RS256', use: 'sig' },
  ];
  const rights = { scopes: ['issue'], issuerDids: [issuerDid], issueOnBehalf: true, allowedOrigins: [] };
  const body = { name: 'P', jwks: { keys }, ...rights, requireTyp: true };
  expect((await gateway.admin('PUT', `/v1/admin/partners/${PARTNER}`, { body })).status).toBe(200);
});
afterAll(() => gateway.close());

const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();
const csvOf = (...rows: [email: string, note: string][]): string =>
  `email,note\n${rows.map((cells) => `${cells.join(',')}\n`).join('')}`;

/** A folder with the recipients and what signs for the partner. */
const folderWith = (people: string, files: Record<string, string> = {}): string =>
  folderOf({ 'people.csv': people, 'key.pem': pemOf(p256.privateKey), ...files });

const run = (folder: string, ...args: string[]) =>
  runCli([
    ...['issue-batch', join(folder, 'people.csv'), '--url', gateway.url, '--issuer', issuerDid],
    ...['--credential', 'cli-credential', ...args],
  ]);
const withKey = (folder: string, ...args: string[]) =>
  run(folder, '--key-file', join(folder, 'key.pem'), '--partner-id', PARTNER, '--kid', 'p256', ...args);
const resultsOf = (folder: string, file = 'people.csv.result.csv'): Record<string, string>[] =>
  parse(readFileSync(join(folder, file), 'utf8'), { columns: true });
const issued = (filter: object = {}) => gateway.app.connection.collection('issuances').countDocuments(filter);

describe('issue-batch --retry-failed', () => {
  it('issue-batch --retry-failed issues only failed rows again, once the cause is removed', async () => {
    const credential = { name: 'Retry', category: 'Test', issuerId: 'cli', schemaId: 'cli-schema' };
    const put = (body: object) => gateway.admin('PUT', '/v1/admin/credentials/cli-retry', { body });
    expect((await put(credential)).status).toBe(200);
    const folder = folderWith(csvOf(['retry-1@example.org', 'a'], ['retry-2@example.org', '']));
    const again = (...args: string[]) => withKey(folder, '--credential', 'cli-retry', ...args);
    expect((await again()).code).toBe(1);
    const [first, failed] = resultsOf(folder);
    expect([first?.state, failed?.state]).toEqual(['ISSUED', 'FAILED']);
    const dataPoints = [{ name: 'note', type: 'string', isRequired: false, description: '' }];
    await gateway.admin('PUT', '/v1/admin/schemas/cli-optional', { body: { title: 'n', description: '', dataPoints } });
    expect((await put({ ...credential, schemaId: 'cli-optional' })).status).toBe(200);
    expect((await again()).code).toBe(1);
    expect(resultsOf(folder)).toEqual([first, failed]);
    expect(await again('--retry-failed')).toMatchObject({
      code: 0,
      out: expect.stringContaining('2 of 2 rows issued'),
    });
    expect(resultsOf(folder)).toEqual([first, expect.objectContaining({ row: '2', state: 'ISSUED', code: '' })]);
    expect(await issued({ credentialId: 'cli-retry' })).toBe(2);
  });

  it('issue-batch --retry-failed leaves a row failed, with its reason, if the cause remains', async () => {
    const folder = folderWith(csvOf(['still@example.org', '']));
    await withKey(folder);
    const [before] = resultsOf(folder);
    expect((await withKey(folder, '--retry-failed')).code).toBe(1);
    expect(resultsOf(folder)).toEqual([{ ...before, attempt: '2', job: expect.not.stringMatching(before?.job ?? '') }]);
  });
});

describe('issue-batch --dry-run', () => {
  it('issue-batch --dry-run reports for each row whether it fits, and issues nothing', async () => {
    const people = csvOf(['fits@example.org', 'a'], ['nobody', 'b'], ['not@example.org', '']);
    const folder = folderWith(people);
    const checks = () => gateway.app.connection.collection('issuanceJobs').countDocuments({ dryRun: true });
    const before = await issued();
    const checksBefore = await checks();
    expect(await withKey(folder, '--dry-run')).toMatchObject({
      code: 1,
      out: expect.stringContaining('1 of 3 rows fit'),
    });
    expect(resultsOf(folder, 'people.csv.check.csv')).toMatchObject([
      { state: 'CHECKED', coreClaimHash: '', userUuid: '' },
      { state: 'FAILED', message: expect.stringContaining('email') },
      { state: 'FAILED', message: expect.stringContaining('note is missing') },
    ]);
    expect(await issued()).toBe(before);
    expect(await checks()).toBe(checksBefore + 1);
  });
});

describe('issue-batch as a partner', () => {
  it('issue-batch accepts a token from a file', async () => {
    const token = await new SignJWT({ partnerId: PARTNER, scope: 'issue' })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'p256' })
      .setExpirationTime('10m')
      .sign(p256.privateKey);
    const folder = folderWith(csvOf(['token@example.org', 'a']), { token: `${token}\n`, stale: 'not.a.token' });
    // A run of its own each: what is issued needs no token.
    const by = (file: string) => run(folder, '--token-file', join(folder, file), '--run', file);
    expect(await by('token')).toMatchObject({ code: 0, err: '' });
    const stale = await by('stale');
    expect([stale.code, stale.err]).toEqual([
      1,
      expect.stringMatching(/^The gateway refused: The partner token is not valid[^\n]*\n$/),
    ]);
    expect(await by('none')).toMatchObject({
      code: 1,
      err: `${join(folder, 'none')} cannot be read: there is no such file.\n`,
    });
  });

  it.each([
    ['ES256', 'p256', p256.privateKey],
    ['RS256', 'rsa', rsa.privateKey],
  ])('issue-batch signs %s tokens with a private key in PEM', async (alg, kid, key) => {
    const folder = folderWith(csvOf([`${alg}@example.org`, 'a']), { 'key.pem': pemOf(key) });
    expect(await withKey(folder, '--kid', kid)).toMatchObject({ code: 0, err: '' });
  });

  it('issue-batch requires the kid of a key in PEM', async () => {
    const folder = folderWith(csvOf(['kid@example.org', 'a']));
    const args = ['--key-file', join(folder, 'key.pem'), '--partner-id', PARTNER];
    expect(await run(folder, ...args)).toMatchObject({ code: 1, err: '--key-file needs --partner-id and --kid.\n' });
    expect(await run(folder)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^There is no partner\.json here: give --key-file [^\n]*\n$/),
    });
  });

  it.each([
    ['Ed25519', generateKeyPairSync('ed25519').privateKey],
    ['P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey],
    ['RSA of 1024 bits', generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey],
  ])('issue-batch refuses a key that cannot sign partner tokens (%s)', async (_kind, key) => {
    const folder = folderWith(csvOf(['key@example.org', 'a']), { 'key.pem': pemOf(key) });
    const { code, err } = await withKey(folder);
    expect([code, err]).toEqual([1, expect.stringMatching(/^[^\n]*P-256 or RSA[^\n]*\n$/)]);
    expect(existsSync(join(folder, 'people.csv.result.csv'))).toBe(false);
  });
});

// A gateway with a partner, and `issue-batch` in the test's own process, on files in a folder of each test.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { CliOutput } from '../../src/cli/import.js';
import { type IssueBatchOptions, runIssueBatch } from '../../src/cli/issue-batch.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { registerIssuer } from '../support/partner.js';
import { folderOf } from './run-cli.js';

export const PARTNER = '3f5cf0c1-93a1-4d3c-a5a5-0a0c3f6f2d11';

export let gateway: TestGateway;
let issuerDid: string;
let key: string;
export let folder: string;
/** Makes addresses that only one test has. */
let prefix = 0;

/** Starts the gateway for a test file, and gives each test a folder. */
export function useGateway(): void {
  beforeAll(async () => {
    gateway = await startGateway();
    issuerDid = await registerIssuer(gateway, 'again');
    const pair = await generateKeyPair('ES256', { extractable: true });
    key = JSON.stringify({ ...(await exportJWK(pair.privateKey)), kid: 'k' });
    const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }];
    const rights = { scopes: ['issue'], issuerDids: [issuerDid], issueOnBehalf: true, allowedOrigins: [] };
    const body = { name: 'P', jwks: { keys }, ...rights, requireTyp: true };
    expect((await gateway.admin('PUT', `/v1/admin/partners/${PARTNER}`, { body })).status).toBe(200);
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    prefix += 1;
    folder = folderOf({ 'key.json': key });
  });
}

/** Writes rows of e-mail and JSON. */
export const write = (...rows: [string, string][]): void => {
  const lines = rows.map(([name, note]) => {
    const [local, domain = 'example.org'] = name.split('@');
    return `${local}${prefix}@${domain},${note}\n`;
  });
  writeFileSync(join(folder, 'people.csv'), `email,credentialSubject.note\n${lines.join('')}`);
};
export const text = (note: string): string => `"""${note}"""`;

/** Runs the command; returns what it printed, and throws its sentence. */
export async function run(
  options: Partial<IssueBatchOptions> = {},
  file = 'people.csv',
  ask?: CliOutput['ask'],
): Promise<string> {
  const said: string[] = [];
  const stream = { isTTY: false, write: (chunk: string) => said.push(chunk) > 0 };
  const given = { url: gateway.url, issuer: issuerDid, credential: 'again-credential', partnerId: PARTNER };
  const keyFile = join(folder, 'key.json');
  await runIssueBatch(
    join(folder, file),
    { ...given, keyFile, ...options },
    { out: stream, err: { write: () => true }, ask },
  );
  return said.join('');
}

export const resultText = (): string => readFileSync(join(folder, 'people.csv.result.csv'), 'utf8');
export const results = (): Record<string, string>[] => parse(resultText(), { columns: true });
export const issuances = async () => {
  const { connection } = gateway.app;
  const all = await connection.collection('issuances').find().toArray();
  return { all: all.length, revoked: all.filter(({ revokedAt }) => revokedAt).length };
};

// A byte order mark is not part of the data: some programs begin every text with one.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { folderOf, runCli } from '../../cli/run-cli.js';
import { partnersWith } from '../../partners/partners-with.js';
import { countedServer, jws, keyPair, NOW_S, partnerRow } from '../../partners/support.js';
import { type Membership, startMembership } from '../../support/membership.js';

const BOM = '\ufeff';
const verifier = (id: string): string =>
  JSON.stringify({ kind: 'verifiers', id, name: 'V', verifierDid: `did:web:${id}.example` });

let membership: Membership;
beforeAll(async () => {
  membership = await startMembership();
});
afterAll(() => membership.gateway.close());

describe('A byte order mark', () => {
  it('a byte order mark may begin a body, in REST and GraphQL, also one that is repeated or has unusual names', async () => {
    const { gateway } = membership;
    const put = (body: string) => gateway.admin('PUT', '/v1/admin/verifiers/a', { body });
    const body = '{"name":"V","verifierDid":"did:web:a.example"}';
    const answers = [await put(BOM + body), await put(BOM + body), await put(BOM + body.replace('V', '\\u0056'))];
    expect(answers.map(({ status, body: { etag } }) => [status, etag])).toEqual(
      answers.map(() => [200, (answers[0] as { body: { etag: string } }).body.etag]),
    );
    for (let at = 0; at < 3; at += 1) {
      const answer = await gateway.rest('POST', '/graphql', { body: `${BOM}{"query":"{ __typename }"}` });
      expect(answer.body).toEqual({ data: { __typename: 'Query' } });
    }
    for (const twice of [body, '{"name":1e400}']) {
      const refused = await put(BOM + BOM + twice);
      expect([refused.status, refused.body.message]).toEqual([400, 'The body is not valid JSON.']);
    }
  });

  it('a byte order mark may begin an import, and lines of concatenated files', async () => {
    const { gateway } = membership;
    const lines = `${BOM}${verifier('one')}\n${verifier('two')}\n${BOM}${verifier('three')}\n${BOM}\n`;
    const headers = { 'content-type': 'application/x-ndjson' };
    const { body } = await gateway.admin('POST', '/v1/admin/import', { body: lines, headers });
    const results = String(body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results.map(({ id, result }) => [id, result])).toEqual([
      ['one', 'created'],
      ['two', 'created'],
      ['three', 'created'],
    ]);
    const folder = folderOf({ 'a.ndjson': lines, 'b.json': `${BOM}[${verifier('four')}]` });
    const options = ['--url', gateway.url, '--key', gateway.operatorKey];
    const { out } = await runCli(['import', folder, ...options]);
    expect(out).toContain('1 created, 0 updated, 3 unchanged, 0 refused');
  });

  it('a byte order mark may begin the file of a private key', async () => {
    const folder = folderOf();
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const key = { ...(await exportJWK(privateKey)), kid: 'k', partnerId: membership.partnerId };
    const files = [join(folder, 'plain.json'), join(folder, 'marked.json')] as const;
    writeFileSync(files[0], JSON.stringify(key));
    writeFileSync(files[1], BOM + JSON.stringify(key));
    const issue = (file: string) =>
      runCli([
        ...['issue', '--url', membership.gateway.url, '--credential', 'member', '--email', 'a@b.example'],
        ...['--subject', `${BOM}{"level":1,"since":"2024-01-01"}`, '--key-file', file],
      ]);
    const [plain, marked] = [await issue(files[0]), await issue(files[1])];
    // The key is not registered, so the gateway refuses it; the command line has accepted it.
    expect(plain.err).toContain('The gateway refused');
    expect(marked).toEqual(plain);
  });

  it('a byte order mark may begin the key set of a partner', async () => {
    const key = keyPair('p256', 'k');
    const server = await countedServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(BOM + JSON.stringify({ keys: [key.jwk] }));
    });
    onTestFinished(server.close);
    const row = partnerRow({ jwksUri: `${server.url}/jwks.json` });
    const partners = await partnersWith([row]);
    onTestFinished(partners.close);
    const claims = { partnerId: row._id, scope: 'issue', exp: NOW_S + 300 };
    const token = jws({ alg: 'ES256', typ: 'JWT', kid: 'k' }, claims, key.privateKey, 'ES256');
    expect(await partners.tokens.verify(token)).toMatchObject({ partnerId: row._id });
  });
});

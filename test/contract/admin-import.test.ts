// POST /v1/admin/import: NDJSON in, NDJSON out, a line for each (contract §7).
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importInto, SMALL_CATALOG } from '../catalog/admin/admin-fixture.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  await importInto(gateway, SMALL_CATALOG);
});
afterAll(() => gateway?.close());

describe('POST /v1/admin/import', () => {
  it('an import answers each line, good or bad, and is for the operator alone', async () => {
    const lines = [
      { kind: 'verifiers', id: 'booth', name: 'Booth', verifierDid: 'did:web:booth.example' },
      'no json',
      { kind: 'verifiers', id: 'booth', name: 'Booth', verifierDid: 'did:web:booth.example' },
      { kind: 'verifiers', id: 'broken', name: 5 },
      { kind: 'planets', id: 'mars' },
    ];
    expect(await importInto(gateway, lines)).toEqual([
      { line: 1, kind: 'verifiers', id: 'booth', result: 'created' },
      { line: 2, kind: null, id: null, result: 'refused', message: 'The line is not JSON.' },
      { line: 3, kind: 'verifiers', id: 'booth', result: 'unchanged' },
      { line: 4, kind: 'verifiers', id: 'broken', result: 'refused', message: '"name" must be a string.' },
      { line: 5, kind: 'planets', id: 'mars', result: 'refused', message: expect.stringContaining('"kind"') },
    ]);
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await gateway.rest('POST', '/v1/admin/import', { body: JSON.stringify(lines[0]), headers });
    expect(answer.status).toBe(401);
  });

  it('an import accepts partners beside the catalog, whatever white space is around them', async () => {
    const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
    const [first, second] = [randomUUID(), randomUUID()];
    const partner = { kind: 'partners', name: 'Acme', scopes: ['issue'], jwks: { keys: [{ ...jwk, kid: 'k1' }] } };
    const lines = [
      { ...partner, id: first },
      { kind: 'verifiers', id: 'turnstile', name: 'Turnstile', verifierDid: 'did:web:turnstile.example' },
      { ...partner, id: first, requireScope: false },
      { ...partner, id: second, scopes: [] },
      { ...partner, id: 'acme' },
      { ...partner, id: first, requireScope: false },
    ];
    expect((await importInto(gateway, lines)).map(({ result, message }) => [result, message])).toEqual([
      ['created', undefined],
      ['created', undefined],
      ['updated', undefined],
      ['refused', '"scopes" must hold issue, verify or both.'],
      ['refused', '"id" must be a UUID.'],
      ['unchanged', undefined],
    ]);
    const { body } = await gateway.admin('GET', `/v1/admin/partners/${first}`);
    expect(body).toMatchObject({ name: 'Acme', requireScope: false, jwks: { keys: [{ kid: 'k1' }] } });
    expect((await gateway.admin('GET', `/v1/admin/partners/${second}`)).status).toBe(404);
  });

  it('an import answers lines while the client is still sending', async () => {
    const lines = Array.from({ length: 1_000 }, () => `${JSON.stringify(SMALL_CATALOG[0])}\n`).join('');
    const call = request(`${gateway.url}/v1/admin/import`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', 'x-admin-api-key': gateway.operatorKey },
    });
    call.write(lines);
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    const [first] = (await once(answer, 'data')) as [Buffer];
    expect(JSON.parse(first.toString().split('\n')[0] ?? '')).toMatchObject({ line: 1, result: 'unchanged' });
    call.end(lines);
    let received = first.length;
    for await (const chunk of answer) received += (chunk as Buffer).length;
    expect(received).toBeGreaterThan(first.length);
    expect(answer.complete).toBe(true);
  });

  it('an import answers with NDJSON', async () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await gateway.admin('POST', '/v1/admin/import', { body: '\n', headers });
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.body).toBe('');
  });

  it('an import accepts NDJSON only', async () => {
    const { status, body } = await gateway.admin('POST', '/v1/admin/import', { body: {} });
    expect([status, body.error]).toEqual([415, 415]);
    expect((await gateway.admin('POST', '/v1/admin/import')).status).toBe(400);
  });
});

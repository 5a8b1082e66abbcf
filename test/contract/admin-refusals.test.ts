// What the operator's routes refuse, and what they say about it (contract §7).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importInto, SMALL_CATALOG } from '../catalog/admin/admin-fixture.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { BODIES } from './admin-bodies.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  await importInto(gateway, SMALL_CATALOG);
});
afterAll(() => gateway?.close());

describe('what does not fit', () => {
  const put = (path: string, body: unknown) => gateway.admin('PUT', `/v1/admin/${path}`, { body });

  it('a refusal names the issuer, schema or verifier that does not exist', async () => {
    const credential = BODIES.credentials?.body;
    const program = BODIES.programs?.body;
    expect((await put('credentials/x', { ...credential, issuerId: 'nobody' })).body).toEqual({
      error: 400,
      message: '"issuerId" names no issuer: nobody.',
    });
    expect((await put('credentials/x', { ...credential, schemaId: 'nothing' })).body.message).toContain('"schemaId"');
    expect((await put('programs/x', { ...program, verifierId: 'nobody' })).body.message).toContain('"verifierId"');
    const acceptedCredentials = [{ credentialId: 'nothing', verificationConditions: [] }];
    const { body } = await put('programs/x', { ...program, acceptedCredentials });
    expect(body).toEqual({
      error: 400,
      message: '"acceptedCredentials[0].credentialId" names no credential: nothing.',
    });
  });

  it.each([
    ['age >', 'position 5'],
    ['age >= 18 and', 'position'],
    ['height >= 18', 'height'],
    ['age >= "old"', 'integer'],
  ])('a refusal of a condition names its place: %s', async (condition, words) => {
    const acceptedCredentials = [{ credentialId: 'adult', verificationConditions: ['age >= 1', condition] }];
    const { status, body } = await put('programs/x', { ...BODIES.programs?.body, acceptedCredentials });
    expect(status).toBe(400);
    expect(body.message).toContain('"acceptedCredentials[0].verificationConditions[1]" is wrong at position');
    expect(body.message).toContain(words);
  });

  it.each([
    ['a misspelt type', 'strnig'],
    ['a list of one', 'intger[]'],
    ['a type of other languages', 'varchar(20)'],
    ['a list the other way round', '[]string'],
  ])('%s of a data point is refused: %s', async (_what, type) => {
    const dataPoints = [
      { name: 'a', type: 'Integer' },
      { name: 'b', type },
    ];
    const { status, body } = await put('schemas/typed', { title: 'T', description: '', dataPoints });
    expect(status).toBe(400);
    expect(body.message).toContain(`"dataPoints[1].type" is "${type}", and must be integer, int, long`);
    const line = JSON.stringify({ kind: 'schemas', id: 'typed', title: 'T', description: '', dataPoints });
    const headers = { 'content-type': 'application/x-ndjson' };
    const imported = await gateway.admin('POST', '/v1/admin/import', { body: `${line}\n`, headers });
    expect(JSON.stringify(imported.body)).toContain('dataPoints[1].type');
  });

  it('every type with a meaning is accepted, and so are lists of it', async () => {
    const types = [
      'string',
      'TEXT',
      'int',
      'decimal',
      'bool',
      'datetime',
      'object',
      'any',
      'json',
      'string[]',
      'date[][]',
    ];
    const dataPoints = types.map((type, at) => ({ name: `p${at}`, type }));
    expect((await put('schemas/typed', { title: 'T', description: '', dataPoints })).status).toBe(200);
  });

  it('a DID that belongs to another issuer or verifier is a conflict', async () => {
    const issuer = await put('issuers/other', { name: 'O', issuerDid: 'did:web:north.example', issuerFrom: 'EU' });
    expect(issuer.body).toEqual({ error: 409, message: expect.stringContaining('north') });
    const verifier = await put('verifiers/other', { name: 'O', verifierDid: 'did:web:gate.example' });
    expect(verifier.status).toBe(409);
  });

  it('an id with white space or beyond 500 characters is refused', async () => {
    const body = BODIES.verifiers?.body;
    for (const id of ['a%20b', '%0A', 'x'.repeat(501)]) {
      expect((await put(`verifiers/${id}`, body)).status).toBe(400);
    }
  });

  it('a body that is no JSON object is refused', async () => {
    for (const body of ['[]', '"text"', 'null', '{', '']) {
      const { status, body: answer } = await gateway.admin('PUT', '/v1/admin/verifiers/x', {
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect([status, answer.error]).toEqual([400, 400]);
    }
  });
});

describe('retiring', () => {
  it.each([
    ['issuers/north', '2 live credentials'],
    ['schemas/degree', '1 live credential '],
    ['verifiers/gate', '2 live programs'],
  ])('retiring %s answers 409 while live entries need it', async (path, words) => {
    const { status, body } = await gateway.admin('DELETE', `/v1/admin/${path}`);
    expect(status).toBe(409);
    expect(body).toEqual({ error: 409, message: expect.stringContaining(words) });
  });
});

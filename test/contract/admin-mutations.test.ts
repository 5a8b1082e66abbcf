// The operator's mutations do what REST's PUT and DELETE do (contract §7, "each also a GraphQL mutation").
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importInto, SMALL_CATALOG } from '../catalog/admin/admin-fixture.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { BODIES, WRITTEN } from './admin-bodies.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  await importInto(gateway, SMALL_CATALOG);
});
afterAll(() => gateway?.close());

describe('the mutations', () => {
  const operator = () => ({ 'x-admin-api-key': gateway.operatorKey });
  const inputs: Record<string, object> = {
    Issuer: { issuerId: 'g-i', ...BODIES.issuers?.body, issuerDid: 'did:web:g.example' },
    Verifier: { verifierId: 'g-v', ...BODIES.verifiers?.body, verifierDid: 'did:web:g.example' },
    Schema: { schemaId: 'g-s', ...BODIES.schemas?.body },
    Credential: { credentialId: 'g-c', ...BODIES.credentials?.body, accessibleStart: '2026-01-01T00:00:00.000Z' },
    Program: { programId: 'g-p', ...BODIES.programs?.body },
  };
  const idOf = (type: string) => `${type.toLowerCase()}Id`;

  it.each(Object.keys(inputs))('put%s and retire%s do what PUT and DELETE do', async (type) => {
    const [word, id] = [type.toLowerCase(), idOf(type)];
    const input = inputs[type] as Record<string, unknown>;
    const put = `mutation ($input: Put${type}Input!) { put${type}(input: $input) { result etag ${word} { ${id} } } }`;
    const made = await gateway.gql(put, { input }, operator());
    expect(made.errors).toBeUndefined();
    expect(made.data[`put${type}`]).toEqual({
      result: 'CREATED',
      etag: WRITTEN.etag,
      [word]: { [id]: input[id] },
    });
    const again = await gateway.gql(put, { input }, operator());
    expect(again.data[`put${type}`].result).toBe('UNCHANGED');

    const { [id]: _, ...body } = input;
    const rest = await gateway.admin('PUT', `/v1/admin/${word}s/${input[id]}`, { body });
    expect(rest.body.etag).toBe(made.data[`put${type}`].etag);

    const retire = `mutation ($input: Retire${type}Input!) { retire${type}(input: $input) { retiredId } }`;
    const retired = await gateway.gql(retire, { input: { [id]: input[id] } }, operator());
    expect(retired.data[`retire${type}`]).toEqual({ retiredId: input[id] });
    expect((await gateway.admin('GET', `/v1/admin/${word}s/${input[id]}`)).status).toBe(404);
  });

  it('mutations accept a JSON Schema document', async () => {
    const jsonSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Badge',
      type: 'object',
      properties: { credentialSubject: { type: 'object', properties: { level: { type: 'integer', title: 'Level' } } } },
    };
    const put =
      'mutation ($input: PutSchemaInput!) { putSchema(input: $input) { schema { title dataPoints { name type } } } }';
    const { data } = await gateway.gql(put, { input: { schemaId: 'badge', jsonSchema } }, operator());
    expect(data.putSchema.schema).toEqual({ title: 'Badge', dataPoints: [{ name: 'level', type: 'integer' }] });
    expect((await gateway.admin('GET', '/v1/admin/schemas/badge')).body.jsonSchema).toEqual(jsonSchema);
  });

  it.each([
    [{}, 'UNAUTHENTICATED', 401],
    [{ 'x-admin-api-key': 'wrong' }, 'FORBIDDEN', 403],
  ])('mutations are for the operator alone', async (headers, code, httpStatus) => {
    const retire = 'mutation { retireCredential(input: { credentialId: "adult" }) { retiredId } }';
    const { errors } = await gateway.gql(retire, {}, headers as Record<string, string>);
    expect(errors?.[0]?.extensions).toMatchObject({ code, httpStatus });
    expect((await gateway.admin('GET', '/v1/admin/credentials/adult')).status).toBe(200);
  });

  it('mutations refuse an empty id, and one that is too long', async () => {
    const retire = 'mutation { retireCredential(input: { credentialId: "" }) { retiredId } }';
    expect((await gateway.gql(retire, {}, operator())).errors?.[0]?.message).toBe(
      'There is no credential with an empty id.',
    );
    const retry = 'mutation ($input: ChainJobInput!) { retryChainJob(input: $input) { job { state } } }';
    const { errors } = await gateway.gql(retry, { input: { jobId: 'x'.repeat(201) } }, operator());
    expect(errors?.[0]?.message).toBe('"jobId" must have at most 200 characters.');
  });

  it.each(Object.keys(inputs))('put%s refuses a wrong id and names it as the input does', async (type) => {
    const put = `mutation ($input: Put${type}Input!) { put${type}(input: $input) { result } }`;
    for (const id of ['a b', '']) {
      const { errors } = await gateway.gql(put, { input: { ...inputs[type], [idOf(type)]: id } }, operator());
      expect(errors?.[0]?.message).toBe(`"${idOf(type)}" must be 1 to 500 printable characters without white space.`);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: idOf(type) });
    }
  });

  it('mutations name the field that does not fit', async () => {
    const put = 'mutation ($input: PutVerifierInput!) { putVerifier(input: $input) { result } }';
    const input = { verifierId: 'x', name: 'X', verifierDid: 'nonsense' };
    const { errors } = await gateway.gql(put, { input }, operator());
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'verifierDid' });
    const late = await gateway.gql(put, { input: { ...input, verifierDid: 'did:web:x', ifMatch: '*' } }, operator());
    expect(late.errors?.[0]?.extensions).toMatchObject({ code: 'PRECONDITION_FAILED', httpStatus: 412 });
    const first = { input: { ...input, verifierDid: 'did:web:x', ifNoneMatch: '*' } };
    expect((await gateway.gql(put, first, operator())).data.putVerifier.result).toBe('CREATED');
    const second = await gateway.gql(put, first, operator());
    expect(second.errors?.[0]?.extensions).toMatchObject({ code: 'PRECONDITION_FAILED', httpStatus: 412 });
  });
});

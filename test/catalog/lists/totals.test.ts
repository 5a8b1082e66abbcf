// Totals are cheap: stored for a relation without a filter, and counted up to 10,000 with a filter.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { makeNetwork, writeNetwork } from '../network.js';

const ROWS = 10_001;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
  const { verifiers, ...network } = makeNetwork(1);
  const [one] = verifiers;
  if (one === undefined) throw new Error('no verifier');
  const many = Array.from({ length: ROWS }, (_, at) => ({ ...one, _id: `v${at}`, verifierDid: `did:example:v${at}` }));
  await writeNetwork(gateway.app.connection, { ...network, verifiers: many });
});
afterAll(() => gateway.close());

async function total(where: string) {
  const { data, errors } = await gateway.gql(`{ verifiers${where} { totalCount totalCountIsExact } }`);
  expect(errors).toBeUndefined();
  return data.verifiers;
}

it('a list without a filter has its exact total', async () => {
  expect(await total('')).toEqual({ totalCount: ROWS, totalCountIsExact: true });
});

it('a filtered list is counted up to 10,000 and reports that there are more', async () => {
  const where = '(where: { createdAt: { gte: "2024-01-01" } })';
  expect(await total(where)).toEqual({ totalCount: 10_000, totalCountIsExact: false });
});

it('a filtered list below 10,000 has its exact total', async () => {
  const where = '(where: { verifierId: { in: ["v1", "v2", "nobody"] } })';
  expect(await total(where)).toEqual({ totalCount: 2, totalCountIsExact: true });
});

it('the total of programs that accept a credential is that of the list, also when the credential is retired', async () => {
  const put = async (path: string, body: object) => {
    expect((await gateway.admin('PUT', `/v1/admin/${path}`, { body })).status).toBe(200);
  };
  const dataPoints = [{ name: 'age', type: 'integer' }];
  await put('issuers/i', { name: 'I', issuerDid: 'did:web:i.example', issuerFrom: 'x' });
  await put('schemas/s', { title: 'S', description: '', dataPoints });
  for (const id of ['gone', 'live', 'unasked'])
    await put(`credentials/${id}`, { name: id, category: 'x', issuerId: 'i', schemaId: 's' });
  const accept = (...ids: string[]) => ids.map((credentialId) => ({ credentialId, verificationConditions: [] }));
  const program = { name: 'P', description: '', verifierId: 'v1', pricingModel: 'free' };
  await put('programs/p1', { ...program, acceptedCredentials: accept('gone', 'live') });
  await put('programs/p2', { ...program, acceptedCredentials: accept('gone') });
  for (const id of ['credentials/gone', 'credentials/unasked'])
    expect((await gateway.admin('DELETE', `/v1/admin/${id}`)).status).toBe(204);
  for (const [id, count] of Object.entries({ gone: 2, live: 1, unasked: 0, absent: 0 })) {
    const query = `{ programs(where: { credentialId: { eq: "${id}" } }) { totalCount nodes { programId } } }`;
    const { programs } = (await gateway.gql(query)).data;
    expect([id, programs.totalCount, programs.nodes.length]).toEqual([id, count, count]);
    const { data } = (await gateway.rest('GET', `/v1/catalog/programs?credentialId=${id}`)).body;
    expect([id, data.total, data.records.length]).toEqual([id, count, count]);
  }
});

it('pages by number reach row 10,000 and not beyond', async () => {
  const page = (at: number) => gateway.rest('GET', `/v1/catalog/verifiers?page=${at}&limit=100`);
  const last = await page(100);
  expect(last.body.data.records).toHaveLength(100);
  expect(last.body.data.total).toBe(ROWS);
  const beyond = await page(101);
  expect(beyond).toMatchObject({ status: 400, body: { error: 400, message: expect.stringContaining('cursors') } });
});

// Counts above 2^31 in both APIs, and errors that name the entry that they are about.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalId } from '../../src/graphql/shapes/global-id.js';
import { eventually } from '../support/eventually.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

const BILLION = 1_000_000_000;
const SUM = 3 * BILLION;
let gateway: TestGateway;

const traction = { holderCount: BILLION, issuanceCount: BILLION, verificationCount: BILLION };
const issuer = (id: string) => ({ kind: 'issuers', id, name: id, issuerDid: `did:web:${id}.example`, issuerFrom: 'x' });
const schema = {
  kind: 'schemas',
  id: 's',
  title: 'S',
  description: '',
  dataPoints: [{ name: 'a', type: 'string' }],
};
const credential = (id: string, issuerId: string, counts: object = traction) => ({
  kind: 'credentials',
  id,
  name: id,
  category: 'c',
  issuerId,
  schemaId: 's',
  traction: counts,
});

async function importLines(...entries: object[]): Promise<void> {
  const body = entries.map((entry) => JSON.stringify(entry)).join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  const { status, body: results } = await gateway.admin('POST', '/v1/admin/import', { body, headers });
  expect([status, results]).toEqual([200, expect.not.stringContaining('refused')]);
}

beforeAll(async () => {
  gateway = await startGateway();
  await importLines(
    ...['large', 'small', 'broken'].map(issuer),
    schema,
    ...['l1', 'l2', 'l3'].map((id) => credential(id, 'large')),
    credential('s1', 'small', { holderCount: 7 }),
    credential('b1', 'broken', {}),
  );
});
afterAll(() => gateway.close());

describe('Counts above 2^31', () => {
  it('counts above 2^31 are numbers in GraphQL, beside entries with small ones', async () => {
    const counts = 'holderCount issuanceCount verificationCount';
    const { data, errors } = await gateway.gql(`{
      issuers { nodes { issuerId traction { ${counts} } } }
      credential(credentialId: "l1") { issuer { traction { holderCount } } } }`);
    expect(errors).toBeUndefined();
    expect(data.issuers.nodes[0]).toEqual({
      issuerId: 'large',
      traction: { holderCount: SUM, issuanceCount: SUM, verificationCount: SUM },
    });
    expect(data.issuers.nodes[1]).toMatchObject({ issuerId: 'small', traction: { holderCount: 7 } });
    expect(data.credential.issuer.traction.holderCount).toBe(SUM);
  });

  it('counts above 2^31 are the same numbers in REST', async () => {
    const { body } = await gateway.rest('GET', '/v1/catalog/issuers/large');
    expect(body.data.traction).toEqual({ holderCount: SUM, issuanceCount: SUM, verificationCount: SUM });
    const list = await gateway.rest('GET', '/v1/catalog/issuers?sortBy=popularity');
    expect(list.body.data.records[0].traction.holderCount).toBe(SUM);
  });

  it('entries with counts above 2^31 are ordered and paged like others', async () => {
    const page = (after: string) =>
      gateway.gql(`{ issuers(first: 1, after: ${after}) { nodes { issuerId } pageInfo { endCursor } } }`);
    const { data: first } = await page('null');
    const { data: second } = await page(JSON.stringify(first.issuers.pageInfo.endCursor));
    expect([first, second].map(({ issuers }) => issuers.nodes[0].issuerId)).toEqual(['large', 'small']);
  });

  it('counts above 2^31 may be sums of imported counts and our own, for a credential and a program', async () => {
    const { connection } = gateway.app;
    await gateway.admin('PUT', '/v1/admin/verifiers/v', { body: { name: 'V', verifierDid: 'did:web:v.example' } });
    const accepted = [{ credentialId: 'l1', verificationConditions: [] }];
    const facts = { kind: 'programs', id: 'p', name: 'P', description: '', verifierId: 'v', pricingModel: 'free' };
    await importLines({ ...facts, acceptedCredentials: accepted, traction });
    const own = { 'traction.own.holderCount': 2 * BILLION, 'traction.own.verificationCount': 2 * BILLION };
    await connection.collection('programs').updateOne({ _id: 'p' as never }, { $inc: own });
    await connection.collection('credentials').updateOne({ _id: 'l2' as never }, { $inc: own });
    const query = `{ program(programId: "p") { traction { verificationCount verifiedHolderCount } }
      credential(credentialId: "l2") { traction { holderCount verificationCount } } }`;
    const sums = {
      data: {
        program: { traction: { verificationCount: SUM, verifiedHolderCount: SUM } },
        credential: { traction: { holderCount: SUM, verificationCount: SUM } },
      },
    };
    await eventually(async () => expect(await gateway.gql(query)).toMatchObject(sums));
  });

  it('counts above 2^31 may be sums of a series', async () => {
    const run = {
      entry: 'credential l1',
      from: '2024-01-01',
      to: '2024-01-01',
      issued: SUM,
      holders: SUM,
      verified: 0,
    };
    await gateway.app.connection.collection('tractionRuns').insertOne({ _id: 'run' as never, ...run });
    const series = 'series(from: "2024-01-01", to: "2024-01-31") { issued holders }';
    const { data, errors } = await gateway.gql(`{ credential(credentialId: "l1") { traction { ${series} } } }`);
    expect(errors).toBeUndefined();
    expect(data.credential.traction.series).toEqual([{ issued: SUM, holders: SUM }]);
  });
});

describe('An error that empties a page', () => {
  const entryOf = async (query: string) => {
    const { data, errors = [] } = await gateway.gql(query);
    expect(data).toBeNull();
    return errors.map(({ extensions, path }) => [extensions.code, path?.at(-1), extensions.entry]);
  };
  beforeAll(async () => {
    const { connection } = gateway.app;
    const broken = { _id: 'broken' as never };
    await connection
      .collection('issuers')
      .updateOne(broken, { $set: { name: null, 'traction.own.issuanceCount': 0.5 } });
    await eventually(async () =>
      expect((await gateway.gql('{ issuer(issuerId: "broken") { name } }')).errors).toHaveLength(1),
    );
  });

  it('an error that empties a page names the entry whose field is missing', async () => {
    const id = globalId('Issuer', 'broken');
    expect(await entryOf('{ issuers { nodes { name } } }')).toEqual([['INTERNAL_SERVER_ERROR', 'name', id]]);
    expect(await entryOf('{ issuers { edges { node { label: name } } } }')).toEqual([
      ['INTERNAL_SERVER_ERROR', 'label', id],
    ]);
  });

  it('an error that empties a page names the entry whose number cannot be written, below an object without an id', async () => {
    expect(await entryOf('{ issuers { nodes { traction { issuanceCount } } } }')).toEqual([
      ['INTERNAL_SERVER_ERROR', 'issuanceCount', globalId('Issuer', 'broken')],
    ]);
  });

  it('an error that empties a page names the innermost entry: the issuer, or the credential whose issuer is missing', async () => {
    const query = '{ credentials { nodes { credentialId issuer { issuerId name } } } }';
    expect(await entryOf(query)).toEqual([['INTERNAL_SERVER_ERROR', 'name', globalId('Issuer', 'broken')]]);
    await gateway.app.connection.collection('issuers').updateOne({ _id: 'broken' as never }, { $set: { live: false } });
    await eventually(async () =>
      expect(await entryOf(query)).toEqual([['INTERNAL_SERVER_ERROR', 'issuer', globalId('Credential', 'b1')]]),
    );
  });

  it('an error that is about no entry names none', async () => {
    const { errors } = await gateway.gql('{ issuers(first: 500) { nodes { name } } }');
    expect(errors?.[0]?.extensions).not.toHaveProperty('entry');
  });
});

// The consequences of a schema change are reported before it is made: for conditions of live programs, and for live
// credentials of holders.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { folderOf, runCli } from '../../cli/run-cli.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { registerPartner, type TestPartner } from '../../support/partner.js';

const CONDITIONS = ['age >= 18', 'name = "x"', 'note exists'];
const POINTS = { age: 'integer', name: 'string', note: 'string' };

let gateway: TestGateway;
let partner: TestPartner;
let issuerDid: string;
let number = 0;
/** Ids that each test sets anew. */
let [schema, credential, program] = ['', '', ''];

beforeAll(async () => {
  gateway = await startGateway();
  issuerDid = (await put('issuers/club', { name: 'Club', issuerFrom: 'x', managed: true })).issuerDid;
  await put('verifiers/door', { name: 'Door', verifierDid: 'did:web:door.example' });
  partner = await registerPartner(gateway, [issuerDid]);
});
afterAll(() => gateway?.close());
beforeEach(async () => {
  number += 1;
  [schema, credential, program] = [`s${number}`, `c${number}`, `p${number}`];
  await put(`schemas/${schema}`, contentOf(POINTS));
  await put(`credentials/${credential}`, bodyOf());
  await put(`programs/${program}`, programOf(CONDITIONS));
});

const contentOf = (points: Record<string, string>) => ({
  title: 'S',
  description: '',
  dataPoints: Object.entries(points).map(([name, type]) => ({ name, type })),
});
const bodyOf = (more: object = {}) => ({ name: 'C', category: 'c', issuerId: 'club', schemaId: schema, ...more });
const programOf = (verificationConditions: string[]) => ({
  ...{ name: 'P', description: '', verifierId: 'door', pricingModel: 'free' },
  acceptedCredentials: [{ credentialId: credential, verificationConditions }],
});

async function put(path: string, body: object) {
  const answer = await gateway.admin('PUT', `/v1/admin/${path}`, { body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}
const putCredential = (more: object) =>
  gateway.admin('PUT', `/v1/admin/credentials/${credential}`, { body: bodyOf(more) });
const impactOf = async (points: Record<string, string>, id = schema) =>
  gateway.admin('POST', `/v1/admin/schemas/${id}/impact`, { body: contentOf(points) });

async function issue(): Promise<void> {
  const credentialSubject = { age: 20, name: 'x', note: 'y' };
  const body = { issuerDid, credentialId: credential, credentialSubject, email: `h${Math.random()}@example.org` };
  expect((await partner.rest('POST', '/v1/credentials/issue-on-behalf', body)).status).toBe(200);
}

const breakOf = (condition: string, why: string) => ({ programId: program, credentialId: credential, condition, why });

describe('The impact of a schema change', () => {
  it.each<[string, Record<string, string>, [string, string][]]>([
    ['no change', POINTS, []],
    ['fields in another order, and one more', { more: 'date', note: 'string', name: 'text', age: 'double' }, []],
    ['a field that is gone', { name: 'string', note: 'string' }, [['age >= 18', 'missing']]],
    ['a number that becomes a text', { ...POINTS, age: 'string' }, [['age >= 18', 'order']]],
    ['a text that becomes a number', { ...POINTS, name: 'integer' }, [['name = "x"', 'type']]],
    ['another type of a field that is only asked to exist', { ...POINTS, note: 'boolean' }, []],
  ])('a schema change has an impact: %s', async (_name, points, breaks) => {
    const { status, body } = await impactOf(points);
    expect([status, body]).toEqual([200, { breaks: breaks.map((each) => breakOf(...each)), reissue: 0 }]);
  });

  it('a schema change counts the live credentials that could no longer prove conditions', async () => {
    await issue();
    await issue();
    expect((await impactOf(POINTS)).body.reissue).toBe(0);
    expect((await impactOf({ ...POINTS, more: 'date' })).body.reissue).toBe(0);
    expect((await impactOf({ ...POINTS, note: 'boolean' })).body).toEqual({ breaks: [], reissue: 2 });
    await put(`programs/${program}`, programOf(['age >= 18']));
    expect((await impactOf({ ...POINTS, note: 'boolean' })).body).toEqual({ breaks: [], reissue: 0 });
    await gateway.admin('DELETE', `/v1/admin/programs/${program}`);
    expect((await impactOf({ ...POINTS, age: 'string' })).body).toEqual({ breaks: [], reissue: 0 });
  });

  it("a schema change's impact covers live programs and credentials, and only conditions that could be proven before", async () => {
    await put(`programs/${program}`, programOf(['name > "x"', 'note exists', 'age >= 5', 'age <= 4']));
    expect((await impactOf({ name: 'string' })).body.breaks).toEqual([breakOf('note exists', 'missing')]);
    await gateway.admin('DELETE', `/v1/admin/credentials/${credential}`);
    expect((await impactOf({ name: 'string' })).body.breaks).toEqual([]);
  });

  it("a schema change's impact is computed without writing anything", async () => {
    const before = (await gateway.admin('GET', `/v1/admin/schemas/${schema}`)).body;
    await impactOf({ other: 'string' });
    expect((await gateway.admin('GET', `/v1/admin/schemas/${schema}`)).body).toEqual(before);
  });

  it("a schema change's impact is also returned by GraphQL", async () => {
    const query = `query ($input: PutSchemaInput!) {
      schemaImpact(input: $input) { breaks { programId credentialId condition why } reissue }
    }`;
    const input = { schemaId: schema, ...contentOf({ name: 'string', note: 'string' }) };
    const { data } = await gateway.gql(query, { input }, { 'x-admin-api-key': gateway.operatorKey });
    expect(data.schemaImpact).toEqual({ breaks: [breakOf('age >= 18', 'missing')], reissue: 0 });
  });

  it("a schema change's impact is printed by the command line, with an exit code", async () => {
    const document = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'S', type: 'object' };
    const properties = { credentialSubject: { type: 'object', properties: { name: { type: 'string' } } } };
    const folder = folderOf({
      'same.json': JSON.stringify(contentOf(POINTS)),
      'other.json': JSON.stringify({ ...document, properties }),
    });
    const cli = (file: string, ...more: string[]) => {
      const to = ['--url', gateway.url, '--key', gateway.operatorKey];
      return runCli(['schema', 'impact', schema, `${folder}/${file}`, ...to, ...more]);
    };
    expect(await cli('same.json')).toMatchObject({ code: 0, out: expect.stringMatching(/^0 conditions/) });
    const told = await cli('other.json', '--json');
    expect(told.code).toBe(1);
    expect(JSON.parse(told.out).breaks).toContainEqual(breakOf('age >= 18', 'missing'));
    expect((await cli('other.json')).out).toContain(`breaks  ${program}: age >= 18 of ${credential} (missing)`);
    expect(await cli('none.json')).toMatchObject({ code: 1, err: expect.stringContaining('cannot be read') });
  });

  it('the impact is refused for a body that is no schema, and for an unknown schema', async () => {
    expect((await impactOf(POINTS, 'nothing')).status).toBe(404);
    const { status } = await gateway.admin('POST', `/v1/admin/schemas/${schema}/impact`, { body: { title: 'x' } });
    expect(status).toBe(400);
  });
});

describe('A credential that is put onto other content', () => {
  it('moving a credential to other content is refused if that breaks a live program, except by force', async () => {
    await put('schemas/poor', contentOf({ name: 'string', note: 'string' }));
    const refused = await putCredential({ schemaId: 'poor' });
    expect([refused.status, refused.body.message]).toEqual([
      409,
      `"schemaId" breaks age >= 18 of the program ${program} (missing); with "force": true it is written anyway.`,
    ]);
    const { status, body } = await putCredential({ schemaId: 'poor', force: true });
    expect([status, body.schemaId, 'force' in body]).toEqual([200, 'poor', false]);
    expect((await putCredential({ schemaId: 'poor' })).body.etag).toBe(body.etag);
  });

  it("a credential's move and a concurrent write of conditions always see each other", async () => {
    await put('schemas/poor', contentOf({ name: 'string', note: 'string' }));
    for (let round = 0; round < 12; round += 1) {
      await putCredential({ schemaId: schema, force: true });
      await put(`programs/${program}`, programOf([]));
      const conditions = gateway.admin('PUT', `/v1/admin/programs/${program}`, { body: programOf(['age >= 18']) });
      const [moved, asked] = await Promise.all([putCredential({ schemaId: 'poor' }), conditions]);
      // One of the two comes first: the other is refused because the field is missing, or because the program needs it.
      expect([moved.status, asked.status].sort()).toEqual([200, moved.status === 200 ? 400 : 409]);
    }
  });

  it('a credential can move to content on which every condition can be proven, or if the program was retired', async () => {
    await put('schemas/rich', contentOf({ ...POINTS, more: 'string' }));
    expect((await putCredential({ schemaId: 'rich' })).status).toBe(200);
    await put('schemas/poor', contentOf({ name: 'string', note: 'string' }));
    await gateway.admin('DELETE', `/v1/admin/programs/${program}`);
    expect((await putCredential({ schemaId: 'poor' })).status).toBe(200);
  });

  it('a credential that is restored on a next schema version that breaks a program is refused', async () => {
    await gateway.admin('DELETE', `/v1/admin/credentials/${credential}`);
    await put(`schemas/${schema}`, contentOf({ name: 'string', note: 'string' }));
    expect((await putCredential({})).status).toBe(409);
    expect((await putCredential({ force: true })).body.schemaVersion).toBe(2);
  });

  it('a credential stays on its version when its schema gets a next one', async () => {
    await put(`schemas/${schema}`, contentOf({ name: 'string', note: 'string' }));
    expect((await putCredential({ name: 'Other name' })).body.schemaVersion).toBe(1);
  });

  it('a move that breaks a program is one refused line of an import, and lines may have force', async () => {
    await put('schemas/poor', contentOf({ name: 'string', note: 'string' }));
    const line = (more: object) =>
      JSON.stringify({ kind: 'credentials', id: credential, ...bodyOf({ schemaId: 'poor', ...more }) });
    const headers = { 'content-type': 'application/x-ndjson' };
    const imported = async (...lines: string[]) =>
      (await gateway.admin('POST', '/v1/admin/import', { body: lines.join('\n'), headers })).body
        .trim()
        .split('\n')
        .map((text: string) => JSON.parse(text).result);
    expect(await imported(line({}))).toEqual(['refused']);
    expect(await imported(line({ force: true }))).toEqual(['updated']);
  });
});

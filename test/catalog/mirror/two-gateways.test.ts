// A gateway mirrors another one: the source is a process of its own with the sample catalog.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MirrorLine } from '../../../src/catalog/mirror/mirror.js';
import { eventually } from '../../support/eventually.js';
import { databaseUri, startGateway, type TestGateway } from '../../support/gateway.js';
import { GatewayProcess } from '../../support/gateway-process.js';

const source = new GatewayProcess({ SAMPLE_CATALOG: 'true' });
let gateway: TestGateway;

beforeAll(() => source.start());
afterAll(() => source.remove());
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

/** Runs a mirror over REST, and returns its lines. */
async function run(options: object = {}): Promise<MirrorLine[]> {
  const { status, body } = await gateway.admin('POST', '/v1/admin/mirrors', { body: { from: source.url, ...options } });
  expect(status, body).toBe(200);
  return (body as string).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as MirrorLine]));
}
const shown = (lines: MirrorLine[], result: string) =>
  lines.flatMap((line) =>
    line.result === result && 'kind' in line ? [{ entry: `${line.kind}/${line.id}`, message: line.message }] : [],
  );

const CATALOG = `{
  credentials(first: 100, orderBy: { field: NAME }) { nodes {
    credentialId name category createdAt traction { holderCount issuanceCount verificationCount demandCount }
    issuer { issuerId name issuerDid issuerFrom } schema { schemaId title description }
    dataPoints { name title type isRequired description }
  } }
  programs(first: 100, orderBy: { field: NAME }) { nodes {
    programId name description pricingModel createdAt traction { verificationCount } verifier { verifierId name verifierDid }
    acceptedCredentials { credentialId verificationConditions conditions { field operator values } }
  } }
}`;

async function catalogAt(url: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: CATALOG }) });
  return ((await answer.json()) as { data: unknown }).data;
}

const ORIGIN = '{ origin { source sourceId lastSeenAt missingSince editedAt } }';
const originOf = async (kind: string, id: string) =>
  (await gateway.gql(`query($id: String!) { ${kind}(${kind}Id: $id) ${ORIGIN} }`, { id })).data[kind].origin;

/** One program of the source. */
async function programRecord() {
  const { body } = await source.admin('GET', '/v1/admin/programs?limit=1');
  const { name, description, verifierId, acceptedCredentials, pricingModel, programId, createdAt } = body.data[0];
  return { programId, body: { name, description, verifierId, acceptedCredentials, pricingModel, createdAt } };
}

describe('A mirror of another gateway', () => {
  it('a mirror has the whole catalog of another gateway with its origins, and a second run changes nothing', async () => {
    const first = await run();
    expect(first.at(-1)).toMatchObject({ result: 'done', updated: 0, refused: 0, source: `${source.url}/v1` });
    expect(await catalogAt(gateway.url)).toEqual(await catalogAt(source.url));
    const { programId } = await programRecord();
    const origin = await originOf('program', programId);
    expect(origin).toMatchObject({
      source: `${source.url}/v1`,
      sourceId: programId,
      missingSince: null,
      editedAt: null,
    });
    expect((await run()).at(-1)).toMatchObject({ result: 'done', created: 0, updated: 0, refused: 0 });
    // Cached responses also show the new origin.
    expect((await originOf('program', programId)).lastSeenAt > origin.lastSeenAt).toBe(true);
  });

  it('a mirror follows changes, and marks entries that the source no longer has', async () => {
    await run();
    const { programId, body } = await programRecord();
    await source.admin('PUT', `/v1/admin/programs/${programId}`, { body: { ...body, name: 'Renamed at the source' } });
    expect(shown(await run({ full: true }), 'updated')).toEqual([{ entry: `programs/${programId}` }]);
    await source.admin('DELETE', `/v1/admin/programs/${programId}`);
    const lines = await run();
    expect(shown(lines, 'missing').map(({ entry }) => entry)).toEqual([`programs/${programId}`]);
    const { data } = await gateway.gql(`{ program(programId: "${programId}") { name origin { missingSince } } }`);
    expect(data.program).toEqual({ name: 'Renamed at the source', origin: { missingSince: expect.any(String) } });
    await source.admin('PUT', `/v1/admin/programs/${programId}`, { body });
    await run();
    expect(await originOf('program', programId)).toMatchObject({ missingSince: null });
  });

  it('a mirror skips and reports entries that the operator changed or retired here, except with overwrite', async () => {
    await run();
    const { programId, body } = await programRecord();
    await gateway.admin('PUT', `/v1/admin/programs/${programId}`, { body: { ...body, name: 'Ours now' } });
    const kept = { entry: `programs/${programId}`, message: expect.stringContaining('was edited here on') };
    for (const options of [{}, { full: true }]) expect(shown(await run(options), 'kept')).toEqual([kept]);
    expect(await originOf('program', programId)).toMatchObject({ editedAt: expect.any(String) });
    await gateway.admin('DELETE', `/v1/admin/programs/${programId}`);
    expect(shown(await run(), 'kept')).toEqual([{ ...kept, message: expect.stringContaining('was retired here on') }]);
    expect((await run({ overwrite: true })).at(-1)).toMatchObject({ kept: 0, created: 1, refused: 0 });
    const { data } = await gateway.gql(`{ program(programId: "${programId}") { name } }`);
    expect(data.program).toEqual({ name: body.name });
  });

  it('a mirror does not replace entries of this gateway', async () => {
    const { body } = await programRecord();
    const own = { name: 'Ours', verifierDid: 'did:web:ours.example' };
    await gateway.admin('PUT', `/v1/admin/verifiers/${body.verifierId}`, { body: own });
    const lines = await run({ overwrite: true });
    expect(shown(lines, 'refused')).toContainEqual({
      entry: `verifiers/${body.verifierId}`,
      message: 'The id belongs to an entry of this gateway, which a mirror does not replace.',
    });
    const { data } = await gateway.gql(`{ verifier(verifierId: "${body.verifierId}") { name origin { source } } }`);
    expect(data.verifier).toEqual({ name: 'Ours', origin: null });
  });

  it('a mirror records its writes in the audit log', async () => {
    await run();
    const headers = { 'x-admin-api-key': gateway.operatorKey };
    const { data } = await gateway.gql('{ auditEntries(first: 100) { nodes { operation actor } } }', {}, headers);
    const entries = data.auditEntries.nodes as { operation: string; actor: string }[];
    const operations = new Set(entries.map(({ operation, actor }) => `${operation} ${actor}`));
    expect([...operations].sort()).toEqual(
      ['credential', 'issuer', 'program', 'schema', 'verifier'].map((noun) => `${noun}.put operator configured`),
    );
  });
});

describe('Gateways with MIRROR_FROM', () => {
  it('gateways with MIRROR_FROM mirror by themselves, and of two that share a store only one does', async () => {
    const env = { MIRROR_FROM: source.url, MONGODB_URI: databaseUri(`mirror_${randomUUID().slice(0, 8)}`) };
    const [scheduled, other] = [await startGateway({ env }), await startGateway({ env })];
    try {
      await eventually(async () => {
        const { body } = await other.admin('GET', '/v1/admin/mirrors');
        expect(body.data).toEqual([expect.objectContaining({ source: `${source.url}/v1`, state: 'done', refused: 0 })]);
      });
      expect(await catalogAt(scheduled.url)).toEqual(await catalogAt(source.url));
      const { body: rest } = await other.admin('GET', '/v1/admin/mirrors');
      const MIRRORS = `{ mirrors { source state startedAt finishedAt phase page created updated unchanged refused kept
        missing message } }`;
      const { data: shown } = await other.gql(MIRRORS, {}, { 'x-admin-api-key': other.operatorKey });
      const inCapitals = ({ state, phase, ...run }: { state: string; phase: string }) => {
        return { ...run, state: state.toUpperCase(), phase: phase.toUpperCase() };
      };
      expect(shown.mirrors).toEqual(rest.data.map(inCapitals));
      const query = '{ auditEntries(first: 100) { nodes { operation subject actor } } }';
      const { data } = await other.gql(query, {}, { 'x-admin-api-key': other.operatorKey });
      const entries = data.auditEntries.nodes as { operation: string; subject: string; actor: string }[];
      expect(new Set(entries.map(({ actor }) => actor))).toEqual(new Set(['operator mirror']));
      expect(new Set(entries.map(({ operation, subject }) => `${operation} ${subject}`)).size).toBe(entries.length);
    } finally {
      await other.app.close();
      await scheduled.close();
    }
  });
});

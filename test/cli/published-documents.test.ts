// The main job: documents that others published and a bundle that uses them go in by the command line; one nested query and REST tell the same of them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { folderOf, runCli } from './run-cli.js';

const DOCUMENTS = join(import.meta.dirname, '../../../shared/data/schemas');
const DIF = 'https://raw.githubusercontent.com/decentralized-identity/credential-schemas/main';
const AGE = `${DIF}/dif-draft-schemas/proof-of-age-schema/ProofOfAge.schema.json`;
const JOB = `${DIF}/community-schemas/VelocityNetwork/CurrentEmployment/CurrentEmploymentSchema.json`;
/** `balance` and `address`, published without a `$id`. */
const BALANCE = 'urn:sha256:8ed406594c33098b0ce67d3363abb18e18020c51e6eafaf9a28fbe0692308c61';
const LOCATION = `${DIF}/community-schemas/schemasWorkingGroup/draftSchemas/organization/schema.json`;

const issuer = (id: string, name: string) => ({ id, name, issuerFrom: 'test', issuerDid: `did:web:${id}.example` });
const credential = (id: string, issuerId: string, schemaId: string, holderCount: number) => ({
  id,
  name: `Credential ${id}`,
  category: 'Imported',
  issuerId,
  schemaId,
  createdAt: '2025-05-01T00:00:00.000Z',
  traction: { holderCount, issuanceCount: holderCount + 5, verificationCount: 2 * holderCount },
});
const program = (id: string, verificationCount: number, accepted: Record<string, string[]>) => ({
  id,
  name: `Program ${id}`,
  description: 'Of the bundle.',
  verifierId: 'door',
  pricingModel: 'free',
  createdAt: '2025-06-01T00:00:00.000Z',
  traction: { verificationCount },
  acceptedCredentials: Object.entries(accepted).map(([credentialId, verificationConditions]) => ({
    credentialId,
    verificationConditions,
  })),
});

const BUNDLE = {
  issuers: [issuer('registry', 'Registry'), issuer('works', 'Works')],
  verifiers: [{ id: 'door', name: 'Door', verifierDid: 'did:web:door.example' }],
  credentials: [
    credential('age', 'registry', AGE, 40),
    credential('job', 'works', JOB, 30),
    credential('job-abroad', 'registry', JOB, 20),
    credential('balance', 'works', BALANCE, 10),
    credential('company', 'works', LOCATION, 5),
  ],
  programs: [
    program('adults', 90, { age: ['ageStatement.ageThreshold >= 18', 'ageStatement.ageOver = true'] }),
    program('staff', 80, {
      job: ['legalEmployer.place.addressCountry in ["PT", "ES"]', 'role exists'],
      'job-abroad': ['role != "guest"'],
    }),
    program('companies', 70, { company: ['`schema:foundingDate` < 2020-01-01', '`schema:location`.type exists'] }),
  ],
};

const QUERY = `{
  credentials(first: 5, orderBy: { field: POPULARITY, direction: DESC }) {
    totalCount
    nodes {
      credentialId name category createdAt
      issuer { issuerId name issuerDid issuerFrom }
      schema { schemaId title description credentials(first: 10) { totalCount nodes { credentialId issuer { name } } } }
      dataPoints { name title type isRequired description }
      traction { holderCount issuanceCount verificationCount demandCount }
      programs(first: 10) {
        nodes {
          programId name traction { verificationCount }
          verifier { verifierId name verifierDid }
          acceptedCredentials { credential { credentialId } verificationConditions conditions { field operator values } }
        }
      }
    }
  }
}`;

// biome-ignore lint/suspicious/noExplicitAny: answers of a query written above.
type Node = any;

const missing = !existsSync(DOCUMENTS);

describe.skipIf(missing)(
  'published documents, imported and used (skipped where ../shared/data/schemas is absent)',
  () => {
    let gateway: TestGateway;
    let nodes: Node[];
    const rest = async (path: string): Promise<Node> => (await gateway.rest('GET', `/v1/catalog/${path}`)).body.data;

    beforeAll(async () => {
      gateway = await startGateway();
    });
    afterAll(() => gateway.close());

    it('published documents are imported at once, and change nothing the second time', async () => {
      const bundle = JSON.stringify(BUNDLE);
      const paths = [join(folderOf({ 'bundle.json': bundle }), 'bundle.json'), DOCUMENTS];
      const run = () => runCli(['import', ...paths, '--json', '--url', gateway.url, '--key', gateway.operatorKey]);
      const entries = Object.values(BUNDLE).flat().length;
      const first = await run();
      expect(JSON.parse(first.out)).toMatchObject({ refused: [] });
      const { created, unchanged } = JSON.parse(first.out);
      // Two of the documents are there twice, as draft and as recommended.
      expect([created, unchanged]).toEqual([37 + entries, 2]);
      expect(JSON.parse((await run()).out)).toMatchObject({
        created: 0,
        updated: 0,
        unchanged: 39 + entries,
        refused: [],
      });
    });

    it('published documents are read by one nested query', async () => {
      const { data, errors } = await gateway.gql(QUERY);
      expect(errors).toBeUndefined();
      expect(data.credentials.totalCount).toBe(5);
      nodes = data.credentials.nodes;
      expect(nodes.map(({ credentialId }) => credentialId)).toEqual(['age', 'job', 'job-abroad', 'balance', 'company']);
      const [age, job, , balance] = nodes;
      expect(age.dataPoints).toContainEqual({
        name: 'ageStatement.ageThreshold',
        title: expect.any(String),
        type: 'integer',
        isRequired: false,
        description: expect.any(String),
      });
      expect(age.programs.nodes[0].acceptedCredentials[0].conditions).toEqual([
        { field: 'ageStatement.ageThreshold', operator: '$gte', values: [18] },
        { field: 'ageStatement.ageOver', operator: '$eq', values: [true] },
      ]);
      expect(job.schema.credentials.totalCount).toBe(2);
      expect(job.traction.demandCount).toBe(1);
      expect(balance.dataPoints.map(({ name }: Node) => name)).toEqual(['balance', 'address']);
    });

    it('published credentials are the same in REST', async () => {
      for (const node of nodes) {
        const detail = await rest(`credentials/${node.credentialId}`);
        const { credentialId, name, category, createdAt, issuer, dataPoints, traction, schema, programs } = node;
        expect(detail).toMatchObject({ credentialId, name, category, createdAt, issuer, dataPoints, traction });
        expect(detail.schema).toEqual({
          schemaId: schema.schemaId,
          title: schema.title,
          description: schema.description,
        });
        const linked = programs.nodes.map((of: Node) => ({
          programId: of.programId,
          name: of.name,
          verifierName: of.verifier.name,
          verificationCount: of.traction.verificationCount,
        }));
        expect(detail.programs).toEqual(linked);
      }
    });

    it('published programs and schemas are the same in REST', async () => {
      for (const program of nodes.flatMap(({ programs }) => programs.nodes)) {
        const detail = await rest(`programs/${program.programId}`);
        expect(detail.verifierInfo).toEqual(program.verifier);
        expect(detail.traction).toEqual(program.traction);
        const accepted = (entries: Node[], id: (entry: Node) => string) =>
          entries.map((entry) => [id(entry), entry.verificationConditions]);
        expect(accepted(detail.acceptedCredentials, (entry) => entry.credentialId)).toEqual(
          accepted(program.acceptedCredentials, (entry) => entry.credential.credentialId),
        );
      }
      for (const { schema, dataPoints } of nodes) {
        const detail = await rest(`schemas/${encodeURIComponent(schema.schemaId)}`);
        expect(detail).toMatchObject({ schemaId: schema.schemaId, title: schema.title, dataPoints });
        const issuers = (entries: Node[]) => entries.map((entry) => [entry.credentialId, entry.issuer.name]);
        expect(issuers(detail.credentials)).toEqual(issuers(schema.credentials.nodes));
      }
    });

    it('published documents are found by their titles', async () => {
      const search = async (): Promise<string[]> => {
        const query = '{ search(query: "employment") { credentials { items { credential { credentialId } } } } }';
        const { data } = await gateway.gql(query);
        return data.search.credentials.items.map(({ credential }: Node) => credential.credentialId).sort();
      };
      await expect.poll(search).toEqual(['job', 'job-abroad']);
    });
  },
);

// One catalog that can be read in two ways: for every entry, REST and GraphQL return the same.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeNetwork, writeNetwork } from '../catalog/network.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  await writeNetwork(gateway.app.connection, makeNetwork(60, 5));
});
afterAll(() => gateway.close());

const ISSUER = 'issuerId name issuerDid issuerFrom';
const VERIFIER = 'verifierId name verifierDid';
const POINT = 'title type name isRequired description';
const CREDENTIAL = `credentialId name category issuer { ${ISSUER} } schema { schemaId title description }
  traction { holderCount issuanceCount verificationCount demandCount }
  createdAt accessibleStart accessibleEnd expirationDuration firstIssuedAt lastIssuedAt`;

it('an entry is the same by REST and by GraphQL', async () => {
  const { body } = await gateway.rest('GET', '/v1/catalog/credentials?limit=20');
  const list = await gateway.gql(
    `{ credentials(first: 20, orderBy: { field: POPULARITY }) { totalCount nodes { ${CREDENTIAL} } } }`,
  );
  expect(body.data.records).toEqual(list.data.credentials.nodes);
  expect(body.data.total).toBe(list.data.credentials.totalCount);
  const [{ credentialId, issuer }] = body.data.records;
  const query = `query ($credentialId: String!) { credential(credentialId: $credentialId) { ${CREDENTIAL} dataPoints { ${POINT} } } }`;
  const { data } = await gateway.gql(query, { credentialId });
  const detail = (await gateway.rest('GET', `/v1/catalog/credentials/${encodeURIComponent(credentialId)}`)).body.data;
  expect(detail).toMatchObject(data.credential);
  const own = await gateway.gql(`query ($issuerId: String!) { issuer(issuerId: $issuerId) { ${ISSUER} createdAt } }`, {
    issuerId: issuer.issuerId,
  });
  const path = `/v1/catalog/issuers/${encodeURIComponent(issuer.issuerId)}`;
  expect((await gateway.rest('GET', path)).body.data).toMatchObject(own.data.issuer);
});

it('programs and verifiers are the same, too', async () => {
  const { body } = await gateway.rest('GET', '/v1/catalog/programs?limit=20&sortBy=popularity');
  const { data } = await gateway.gql(
    `{ programs(first: 20, orderBy: { field: POPULARITY }) { nodes { programId name description pricingModel createdAt verifier { ${VERIFIER} } } } }`,
  );
  const nodes = data.programs.nodes.map(({ verifier, ...program }: { verifier: object }) => ({
    ...program,
    verifierInfo: verifier,
  }));
  expect(nodes.length).toBe(20);
  expect(body.data.records).toMatchObject(nodes);
});

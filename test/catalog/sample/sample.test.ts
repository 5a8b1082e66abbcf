// The sample catalog: enough entries of each kind to try the gateway, and what an empty sandbox starts with.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSample } from '../../../src/catalog/sample/sample.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

describe('the sample catalog', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  it('the sample catalog loads once, completely', async () => {
    expect(await loadSample(gateway.app.services.catalogAdmin)).toBeGreaterThan(0);
    expect(await loadSample(gateway.app.services.catalogAdmin)).toBe(0);
  });

  it('the sample catalog is not loaded into a catalog with entries', async () => {
    const other = await startGateway();
    try {
      await other.admin('PUT', '/v1/admin/verifiers/own', {
        body: { name: 'Own', verifierDid: 'did:web:own.example' },
      });
      expect(await loadSample(other.app.services.catalogAdmin)).toBe(0);
    } finally {
      await other.close();
    }
  });

  it('the sample catalog has at least 12 issuers, 8 verifiers, 25 schemas, 60 credentials and 40 programs', async () => {
    const { data } = await gateway.gql(
      '{ issuers { totalCount } verifiers { totalCount } schemas { totalCount } credentials { totalCount } programs { totalCount } }',
    );
    expect(data.issuers.totalCount).toBeGreaterThanOrEqual(12);
    expect(data.verifiers.totalCount).toBeGreaterThanOrEqual(8);
    expect(data.schemas.totalCount).toBeGreaterThanOrEqual(25);
    expect(data.credentials.totalCount).toBeGreaterThanOrEqual(60);
    expect(data.programs.totalCount).toBeGreaterThanOrEqual(40);
  });

  it('the sample catalog has several days of creation and only possible counts', async () => {
    const { data } = await gateway.gql(
      `{ issuers(first: 100) { nodes { createdAt } } verifiers(first: 100) { nodes { createdAt } } programs(first: 100) { nodes { createdAt } }
         credentials(first: 100) { nodes { createdAt traction { holderCount issuanceCount verificationCount } } } }`,
    );
    for (const { nodes } of Object.values<{ nodes: { createdAt: string }[] }>(data))
      expect(new Set(nodes.map(({ createdAt }) => createdAt)).size).toBe(nodes.length);
    for (const { traction } of data.credentials.nodes) {
      expect(traction.holderCount).toBeGreaterThan(0);
      expect(traction.issuanceCount).toBeGreaterThanOrEqual(traction.holderCount);
    }
  });

  it('the sample catalog uses every comparison operator, and every condition parses', async () => {
    const { data } = await gateway.gql(
      '{ programs(first: 100) { nodes { acceptedCredentials { verificationConditions conditions { operator } } } } }',
    );
    const accepted = data.programs.nodes.flatMap(
      (program: { acceptedCredentials: unknown[] }) => program.acceptedCredentials,
    );
    const operators = new Set(
      accepted.flatMap(({ conditions }: { conditions: { operator: string }[] }) =>
        conditions.map(({ operator }) => operator),
      ),
    );
    expect([...operators].sort()).toEqual([
      '$between',
      '$eq',
      '$exists',
      '$gt',
      '$gte',
      '$in',
      '$lt',
      '$lte',
      '$ne',
      '$nin',
      '$nonbetween',
    ]);
  });
});

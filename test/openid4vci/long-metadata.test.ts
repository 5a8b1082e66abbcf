// Metadata of an issuer with many credentials, each with many claims: bounded, whatever the catalog has.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';

const POINTS = 1_000;
const CREDENTIALS = 25;
/** Fields of the last credential, whose schema is short. */
const LAST = 'zz-short';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  const put = (path: string, body: object) => gateway.admin('PUT', `/v1/admin/${path}`, { body });
  const point = (name: string) => ({ name, title: name, type: 'string', isRequired: false, description: '' });
  await put('issuers/many', { name: 'Many', issuerFrom: 'test', managed: true });
  const dataPoints = Array.from({ length: POINTS }, (_, at) => point(`field${at}`));
  await put('schemas/long', { title: 'Long', description: '', dataPoints });
  await put('schemas/short', { title: 'Short', description: '', dataPoints: [point('note')] });
  const credential = { category: 'Test', issuerId: 'many' };
  for (let at = 0; at < CREDENTIALS; at += 1)
    await put(`credentials/long-${at}`, { ...credential, name: `Long ${at}`, schemaId: 'long' });
  await put(`credentials/${LAST}`, { ...credential, name: 'Short', schemaId: 'short' });
});
afterAll(() => gateway.close());

interface Configuration {
  vct: string;
  credential_metadata: { display: object[]; claims?: object[] };
}

describe('Metadata of an issuer with very many claims', () => {
  it('has every credential, and the claims of the first 20,000', async () => {
    const answer = await fetch(`${gateway.url}/.well-known/openid-credential-issuer/oid4vci/many`);
    expect(answer.status).toBe(200);
    const { credential_configurations_supported: configurations } = (await answer.json()) as {
      credential_configurations_supported: Record<string, Configuration>;
    };
    expect(Object.keys(configurations)).toHaveLength(CREDENTIALS + 1);
    const counts = Object.values(configurations).map(({ credential_metadata: { claims } }) => claims?.length);
    expect(counts).toEqual([
      ...Array.from({ length: 20 }, () => POINTS),
      ...Array.from({ length: CREDENTIALS + 1 - 20 }, () => undefined),
    ]);
    for (const { vct, credential_metadata: about } of Object.values(configurations))
      expect([vct, about.display.length]).toEqual([expect.stringMatching(/^http/), 1]);
  });

  it('and the type of each credential has all of its claims', async () => {
    const answer = await fetch(`${gateway.url}/vct/long-24`);
    expect(((await answer.json()) as { claims: object[] }).claims).toHaveLength(POINTS);
  });
});

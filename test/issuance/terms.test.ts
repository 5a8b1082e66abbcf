// What a holder is told before it takes a credential, and before it proves one: names, also where the catalog is closed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseUri, startGateway, type TestGateway } from '../support/gateway.js';
import { SCHEMA } from '../support/membership.js';
import { registerPartner } from '../support/partner.js';
import { type Holder, holderOf, startOf, startWorld, type World } from '../verification/world.js';

const EMAIL = 'terms@example.org';

let world: World;
/** Another gateway of the same store, whose catalog is closed. */
let closed: TestGateway;
let holder: Holder;
beforeAll(async () => {
  world = await startWorld();
  const put = async (path: string, body: object) =>
    expect((await world.gateway.admin('PUT', `/v1/admin/${path}`, { body })).status).toBe(200);
  const url = 'https://issuer.example/issue';
  await put('issuers/hosted', { name: 'Hosted', issuerFrom: 'x', issuerDid: 'did:web:h.example', issueVcUrl: url });
  await put('issuers/alone', { name: 'Alone', issuerFrom: 'x', issuerDid: 'did:web:a.example' });
  const points = [{ name: 'address.city', title: 'City', type: 'string', isRequired: true, description: 'Where.' }];
  await put('schemas/place', { title: 'Place', description: '', dataPoints: points });
  const credential = { category: 'c', schemaId: 'place' };
  await put('credentials/hosted', { name: 'Of a back end', issuerId: 'hosted', cak: true, ...credential });
  await put('credentials/alone', { name: 'Of nobody', issuerId: 'alone', ...credential });
  holder = await holderOf(world, EMAIL);
  closed = await startGateway({
    env: {
      ...{ NETWORK_ENV: 'production', HOLDER_DID_TYPE: '03d1', PUBLIC_URL: 'https://gateway.example' },
      MONGODB_URI: databaseUri(world.gateway.app.connection.name),
    },
  });
});
afterAll(async () => {
  await closed?.app.close();
  await world?.gateway.close();
});

const terms = (credentialId: string, gateway = world.gateway, headers = holder.headers) =>
  gateway.rest('GET', `/v1/credentials/${credentialId}/terms`, { headers });

describe('The terms of a credential', () => {
  it('the terms of a credential of a managed issuer have everything that the screen shows, also if the catalog is closed', async () => {
    const expected = {
      ...{ credentialId: 'member', name: 'Member', issuerId: 'club', issuerDid: world.issuerDid, issuerName: 'Club' },
      ...{ schemaId: SCHEMA.$id, issuing: 'managed', cak: false, consent: null },
    };
    const { status, body } = await terms('member');
    expect([status, body]).toEqual([200, expect.objectContaining(expected)]);
    expect(body.dataPoints.map(({ name }: { name: string }) => name)).toEqual(['level', 'since', 'note']);
    expect((await closed.rest('GET', '/v1/catalog/credentials/member')).status).toBe(404);
    expect((await terms('member', closed)).body).toEqual(body);
  });

  it.each([
    ['hosted', 'Of a back end', 'hosted', true],
    ['alone', 'Of nobody', 'none', false],
  ])('the terms of a credential of %s say how it is issued', async (credentialId, name, issuing, cak) => {
    const dataPoints = [
      { name: 'address.city', title: 'City', type: 'string', isRequired: true, description: 'Where.' },
    ];
    expect((await terms(credentialId)).body).toMatchObject({ credentialId, name, issuing, cak, dataPoints });
  });

  it('the terms of a credential have the decision about the partner of the session, and of no other', async () => {
    const other = await registerPartner(world.gateway, []);
    const put = (partnerId: string, consent: string) =>
      world.gateway.rest('PUT', `/v1/holders/me/partners/${partnerId}`, { body: { consent }, headers: holder.headers });
    await put(other.partnerId, 'accepted');
    expect((await terms('member')).body.consent).toBeNull();
    await put(world.partnerId, 'declined');
    expect((await terms('member')).body.consent).toBe('declined');
    const query = '{ credentialTerms(credentialId: "member") { issuing consent issuerName dataPoints { title } } }';
    const { data } = await world.gateway.gql(query, {}, holder.headers);
    expect(data.credentialTerms).toMatchObject({ issuing: 'MANAGED', consent: 'DECLINED', issuerName: 'Club' });
    await put(world.partnerId, 'accepted');
    expect((await terms('member')).body.consent).toBe('accepted');
  });

  it('the terms of a credential exist for live credentials, and only for holders', async () => {
    expect((await terms('nothing')).status).toBe(404);
    expect((await world.gateway.admin('DELETE', '/v1/admin/credentials/alone')).status).toBe(204);
    expect((await terms('alone')).status).toBe(404);
    expect((await terms('member', world.gateway, {})).status).toBe(401);
  });
});

describe('A verification request', () => {
  it('a verification request names credentials, issuers and fields, also if the catalog is closed', async () => {
    const verificationId = await startOf(world);
    const request = await closed.rest('GET', `/v1/verifications/${verificationId}/request`, {
      headers: holder.headers,
    });
    expect([request.status, request.body.message]).toEqual([200, undefined]);
    const fields = [{ name: 'level', title: expect.any(String) }];
    expect(request.body.accepted).toMatchObject([
      { credentialId: 'member', name: 'Member', issuerName: 'Club', fields },
    ]);
    const query = `{ verificationRequest(verificationId: "${verificationId}") {
      accepted { name issuerName fields { name title } } } }`;
    const { data } = await closed.gql(query, {}, holder.headers);
    const { name, issuerName, fields: named } = request.body.accepted[0];
    expect(data.verificationRequest.accepted).toEqual([{ name, issuerName, fields: named }]);
  });

  it('a verification request still names credentials that were retired after it was started', async () => {
    const { gateway, partner } = world;
    const headers = { 'x-partner-auth': await partner.token({}, 'verify') };
    const put = (path: string, body: object) => gateway.admin('PUT', `/v1/admin/${path}`, { body });
    await put('credentials/old', { name: 'Old', category: 'c', issuerId: 'club', schemaId: SCHEMA.$id });
    const acceptedCredentials = [{ credentialId: 'old', verificationConditions: ['level >= 2', 'note = "gold"'] }];
    await put('verifiers/v', { name: 'V', verifierDid: 'did:web:v.example' });
    const program = { name: 'P', description: '', verifierId: 'v', pricingModel: 'free', acceptedCredentials };
    expect((await put('programs/old', program)).status).toBe(200);
    const started = await gateway.rest('POST', '/v1/verifications', { body: { programId: 'old' }, headers });
    expect((await gateway.admin('DELETE', '/v1/admin/programs/old')).status).toBe(204);
    expect((await gateway.admin('DELETE', '/v1/admin/credentials/old')).status).toBe(204);
    const path = `/v1/verifications/${started.body.verificationId}/request`;
    const [accepted] = (await gateway.rest('GET', path, { headers: holder.headers })).body.accepted;
    expect(accepted).toMatchObject({ name: 'Old', issuerName: 'Club' });
    expect(accepted.fields.map(({ name }: { name: string }) => name)).toEqual(['level', 'note']);
  });
});

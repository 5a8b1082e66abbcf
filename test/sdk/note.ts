// A credential that is issued beside the page, so that its plaintext never was there, and a program that accepts it.
import { expect } from 'vitest';
import type { SdkWorld } from './world.js';

async function put(world: SdkWorld, path: string, body: object) {
  const answer = await world.gateway.admin('PUT', `/v1/admin/${path}`, { body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** Issues it to a user; the id of credential and program is `note`. */
export async function issueNote(world: SdkWorld, email: string, note: string): Promise<void> {
  const { issuerDid } = await put(world, 'issuers/club', { name: 'Club', issuerFrom: 'test', managed: true });
  const dataPoints = ['level', 'note'].map((name) => ({ name, type: 'string', isRequired: true, description: '' }));
  await put(world, 'schemas/note', { title: 'Note', description: '', dataPoints });
  await put(world, 'credentials/note', { name: 'Note', category: 'c', issuerId: 'club', schemaId: 'note' });
  await put(world, 'verifiers/agency', { name: 'Agency', verifierDid: 'did:web:agency.example' });
  const acceptedCredentials = [{ credentialId: 'note', verificationConditions: ['note exists'] }];
  await put(world, 'programs/note', {
    name: 'Note',
    description: '',
    verifierId: 'agency',
    pricingModel: 'f',
    acceptedCredentials,
  });
  const path = `partners/${world.partner.partnerId}`;
  const { name, jwks, scopes, allowedOrigins } = (await world.gateway.admin('GET', `/v1/admin/${path}`)).body;
  await put(world, path, { name, jwks, scopes, allowedOrigins, issueOnBehalf: true, issuerDids: [issuerDid] });
  const credentialSubject = { level: 'one', note };
  const body = { issuerDid, credentialId: 'note', credentialSubject, email };
  expect((await world.partner.rest('POST', '/v1/credentials/issue-on-behalf', body)).status).toBe(200);
}

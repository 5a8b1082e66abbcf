// What the tests of credentials register: a managed issuer, three credentials, and a program for two of them.
import type { DeployedIssuer } from '../support/deployed-issuer.js';
import { SCHEMA } from '../support/membership.js';
import type { SdkWorld } from './world.js';

/** Registers it all, and lets the partner issue for the managed issuer. @returns its DID */
export async function registerMembership(world: SdkWorld, hosted: DeployedIssuer): Promise<string> {
  const put = async (path: string, body: object) => {
    const answer = await world.gateway.admin('PUT', `/v1/admin/${path}`, { body });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const { issuerDid } = await put('issuers/club', { name: 'Club', issuerFrom: 'test', managed: true });
  await put(`schemas/${encodeURIComponent(SCHEMA.$id)}`, { jsonSchema: SCHEMA });
  const credential = { category: 'c', issuerId: 'club', schemaId: SCHEMA.$id };
  await put('credentials/member', { name: 'Member', ...credential });
  await put('credentials/checked', { name: 'Checked', ...credential, cak: true });
  await put('credentials/hosted', {
    name: 'Hosted',
    category: 'c',
    issuerId: hosted.issuerId,
    schemaId: hosted.schemaId,
  });
  await put('verifiers/agency', { name: 'Agency', verifierDid: 'did:web:agency.example' });
  const program = (credentialId: string, verificationConditions: string[], more = {}) => ({
    ...{ name: 'Level <three>', description: '', verifierId: 'agency', pricingModel: 'Free', ...more },
    acceptedCredentials: [{ credentialId, verificationConditions }],
  });
  await put('programs/three', program('member', ['level >= 3', 'note = "gold"']));
  await put('programs/checked', program('checked', ['level = 3'], { cak: true }));
  const path = `partners/${world.partner.partnerId}`;
  const { name, jwks, scopes, issueOnBehalf, allowedOrigins } = (await world.gateway.admin('GET', `/v1/admin/${path}`))
    .body;
  await put(path, { name, jwks, scopes, issueOnBehalf, allowedOrigins, issuerDids: [issuerDid] });
  return issuerDid;
}

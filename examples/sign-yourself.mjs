// An issuer signs a credential itself, and its holder proves a condition on it: node examples/sign-yourself.mjs [address] [data folder].
// The gateway has neither the issuer's keys nor the credential.
import { answerOf, explanationOf } from './device.mjs';
import { call, closedRecord, logIn, put, readStored, registerPartner, show } from './sandbox.mjs';
import { selfSigningIssuer } from './self-signing-issuer.mjs';

// The issuer makes its keys; the operator writes the public one into its record.
const issuer = await selfSigningIssuer('did:web:alpine-club.example');
await put('issuers/alpine-club', {
  name: 'Alpine Club',
  issuerFrom: 'alpine-club.example',
  issuerDid: issuer.did,
  zkKeys: [issuer.zkKey],
});
const schemaId = 'alpine-membership';
const point = (name, type) => ({ name, type, isRequired: true, description: '' });
const { version: schemaVersion } = await put(`schemas/${schemaId}`, {
  title: 'Alpine membership',
  description: '',
  dataPoints: [point('memberSince', 'date'), point('summits', 'integer')],
});
const credentialId = 'alpine-member';
await put(`credentials/${credentialId}`, {
  name: 'Alpine member',
  category: 'Club',
  issuerId: 'alpine-club',
  schemaId,
});
await put('verifiers/hut', { name: 'Summit Hut', verifierDid: 'did:web:summit-hut.example' });
const programId = 'experienced-members';
await put(`programs/${programId}`, {
  name: 'Experienced members',
  description: '',
  verifierId: 'hut',
  acceptedCredentials: [{ credentialId, verificationConditions: ['summits >= 10', 'memberSince <= today - 1 years'] }],
  pricingModel: 'Free',
});
const partner = await registerPartner('alpine-club', { scopes: ['issue', 'verify'] });
const asPartner = async (scope) => ({ 'x-partner-auth': await partner.token(scope) });

// The issuer signs for a holder, and stores what only the holder can read.
const email = `bea.${partner.partnerId.slice(0, 8)}@example.org`;
const member = await call('POST', '/v1/auth/initialize-user', { headers: await asPartner('issue'), body: { email } });
const { points } = await call('GET', `/v1/schemas/${schemaId}/versions/${schemaVersion}/encoding`);
const credentialSubject = { memberSince: '2019-05-04', summits: 37 };
const signed = await issuer.sign({ credentialId, schemaId, schemaVersion, points, holder: member, credentialSubject });
show('stored', await call('POST', '/v1/dstorage/vcs', { headers: await asPartner('issue'), body: signed }));

// The holder takes it to its device, and proves what the hut asks.
const holder = await logIn(partner, email);
const { items } = await call('GET', '/v1/holders/me/credentials', { headers: holder.headers });
const credential = await readStored(holder, items[0].id);
const { verificationId } = await call('POST', '/v1/verifications', {
  headers: await asPartner('verify'),
  body: { programId },
});
const request = await call('GET', `/v1/verifications/${verificationId}/request`, { headers: holder.headers });
show('explained on the device', explanationOf(request, credential));
const body = await answerOf(request, credential);
show('answered', await call('POST', `/v1/verifications/${verificationId}/answer`, { headers: holder.headers, body }));
const record = await closedRecord(partner, verificationId);
show('recorded', { status: record?.result.status ?? 'Pending', transactionHash: record?.result.transactionHash });

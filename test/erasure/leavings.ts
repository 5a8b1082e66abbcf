// What holders leave in the store: a passkey, a key backup, the hand-over of a key to a device, offers to wallets, a link to another partner, logins,
// and rows of a batch.
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { device } from '../holders/support.js';
import { Authenticator } from '../support/authenticator.js';
import { eventually } from '../support/eventually.js';
import type { TestGateway } from '../support/gateway.js';
import { SUBJECT, type World } from '../verification/world.js';

/** Adds a passkey, writes a backup, takes the key over, and returns the texts that the store then has, by what they are. */
export async function leaveKeys(
  { rest }: TestGateway,
  headers: Record<string, string>,
): Promise<Readonly<Record<string, string>>> {
  const passkey = await leavePasskey(rest, headers);
  const text = () => randomBytes(48).toString('base64');
  const [wrap, backup] = [text(), text()];
  const recoveryProofHash = randomBytes(32).toString('hex');
  const wraps = [{ kind: 'recovery', data: wrap, iv: 'AAAA' }];
  const body = { data: backup, iv: 'AAAA', wraps, recoveryProofHash };
  const put = { body, headers: { ...headers, 'if-none-match': '*' } };
  expect((await rest('PUT', '/v1/holders/me/key-backup', put)).status).toBe(200);
  const devicePublicKey = device().hex;
  const taken = await rest('POST', '/v1/holders/me/key', { body: { devicePublicKey }, headers });
  expect(taken.status).toBe(200);
  return {
    ...passkey,
    backup,
    wrap,
    recoveryProofHash,
    devicePublicKey,
    encryptedKey: taken.body.wrappedKey.encryptedData,
  };
}

/** A passkey, and a challenge that nobody has signed. */
async function leavePasskey(rest: TestGateway['rest'], headers: Record<string, string>) {
  const { partnerId } = JSON.parse(
    Buffer.from(String(headers.authorization).split('.')[1] ?? '', 'base64url').toString(),
  );
  const { body } = await rest('GET', `/v1/client/config?partnerId=${partnerId}`);
  const options = await rest('POST', '/v1/holders/me/passkeys/options', { headers });
  const response = new Authenticator().create(options.body, { origin: new URL(body.publicUrl).origin });
  const name = `of-${randomBytes(8).toString('hex')}`;
  expect((await rest('POST', '/v1/holders/me/passkeys', { body: { response, name }, headers })).status).toBe(201);
  const { challenge } = (await rest('POST', '/v1/holders/me/mfa/options', { headers })).body.options;
  return { passkeyId: response.id, passkeyName: name, challenge };
}

/** An offer that waits and one that was withdrawn, by the address and by the id. */
export async function leaveOffers(
  { issuerDid, partner }: World,
  { email, userId }: { email: string; userId: string },
): Promise<void> {
  const offer = { issuerDid, credentialId: 'member', credentialSubject: SUBJECT };
  expect((await partner.rest('POST', '/v1/offers', { ...offer, email, txCode: 'mail' })).status).toBe(201);
  const { status, body } = await partner.rest('POST', '/v1/offers', { ...offer, userId, txCode: 'partner' });
  expect(status).toBe(201);
  expect((await partner.rest('DELETE', `/v1/offers/${body.offerId}`)).status).toBe(204);
}

/** A link to another partner that nobody has followed, one that opened a session, a page token, and a login that waits for its code. */
export async function leaveLogins(
  { gateway }: World,
  { email, headers }: { email: string; headers: Record<string, string> },
): Promise<void> {
  const name = email.replace(/[^a-z]/g, '-');
  const origin = `https://${name}.example`;
  const partnerId = randomUUID();
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256' }] };
  const body = { name: 'Elsewhere', scopes: ['issue'], jwks, allowedOrigins: [origin] };
  expect((await gateway.admin('PUT', `/v1/admin/partners/${partnerId}`, { body })).status).toBe(200);
  const link = () => gateway.rest('POST', '/v1/auth/partner-link', { body: { url: `${origin}/` }, headers });
  expect((await link()).status).toBe(200);
  const { code } = (await link()).body;
  const redeemed = await gateway.rest('POST', '/v1/auth/partner-link/redeem', { body: { code, partnerId } });
  expect(redeemed.status).toBe(200);
  const ofLink = { authorization: `Bearer ${redeemed.body.token}` };
  expect((await gateway.rest('POST', '/v1/auth/token', { headers: ofLink })).status).toBe(200);
  const waiting = { body: { email: email.toUpperCase(), partnerId }, headers: ofLink };
  expect((await gateway.rest('POST', '/v1/auth/login', waiting)).status).toBe(202);
}

/** A batch with a row that is issued, and one that fails and keeps its content; the partner names rows by addresses. */
export async function leaveBatch(world: World, email: string): Promise<void> {
  const rows = [SUBJECT, { level: 'none' }].map((credentialSubject, at) => ({
    ...{ rowKey: `${at} ${email}`, email, credentialSubject },
  }));
  const input = { issuerDid: world.issuerDid, credentialId: 'member', rows };
  const query = `mutation ($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { job { jobId } } }`;
  const { errors } = await world.gateway.gql(query, { input }, { 'x-partner-auth': await world.partner.token() });
  expect(errors).toBeUndefined();
  const waiting = { state: 'waiting' };
  const rowsOfJobs = world.gateway.app.connection.collection('issuanceJobRows');
  await eventually(async () => expect(await rowsOfJobs.countDocuments(waiting)).toBe(0));
}

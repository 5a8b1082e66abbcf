// What holders leave in the store: a passkey, a key backup, the hand-over of a key to a device, and rows of a batch.
import { randomBytes } from 'node:crypto';
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

// What issuing and storing refuse: bad structure, subjects that do not fit, strangers (contract §4.3, §5).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.js';
import { encrypt } from '../support/holder-device.js';
import { EMAIL, type Membership, SCHEMA, startMembership } from '../support/membership.js';

let gateway: TestGateway;
let partner: Membership['partner'];
let token: Membership['token'];
let issuerDid: string;
let recipient: { did: string; publicKey: string };

beforeAll(async () => {
  ({ gateway, partner, token, issuerDid } = await startMembership());
  recipient = (await partner('POST', '/v1/auth/initialize-user', { email: EMAIL })).body;
});
afterAll(() => gateway.close());

describe('storing', () => {
  it.each([
    ['an IV of 11 bytes', { iv: Buffer.alloc(11).toString('base64') }, 'iv'],
    ['a tag of 15 bytes', { authTag: Buffer.alloc(15).toString('base64') }, 'authTag'],
    ['a key that is none', { encryptedKey: Buffer.alloc(44).toString('base64') }, 'encryptedKey'],
    ['data that is not base64', { data: '***' }, 'data'],
    ['an unknown proof type', { proofType: 'PGP' }, 'proofType'],
    ['an unknown field', { more: 1 }, 'more'],
  ])('refuses %s', async (_name, change, field) => {
    const body = {
      holderDid: recipient.did,
      schemaId: SCHEMA.$id,
      expiresAt: null,
      ...encrypt('x', recipient.publicKey),
      externalId: randomUUID(),
      ...change,
    };
    const { status, body: error } = await partner('POST', '/v1/dstorage/vcs', body);
    expect([status, error.error]).toEqual([400, 400]);
    expect(error.message).toContain(field);
  });

  it('answers 404 for an unknown holder and an unknown schema', async () => {
    const body = {
      holderDid: recipient.did,
      schemaId: SCHEMA.$id,
      expiresAt: null,
      ...encrypt('x', recipient.publicKey),
      externalId: randomUUID(),
    };
    expect(
      (await partner('POST', '/v1/dstorage/vcs', { ...body, holderDid: `${recipient.did.slice(0, -1)}1` })).status,
    ).toBe(404);
    expect((await partner('POST', '/v1/dstorage/vcs', { ...body, schemaId: 'none' })).status).toBe(404);
  });
});

describe('issuing on behalf', () => {
  it.each([
    ['a missing field', { credentialSubject: { level: 3 } }, 400, 'since is missing'],
    [
      'a field too many',
      { credentialSubject: { level: 3, since: '2024-01-01', rank: 1 } },
      400,
      'rank is not a data point',
    ],
    ['a wrong type', { credentialSubject: { level: '3', since: '2024-01-01' } }, 400, 'level must be of type integer'],
    ['what only the document forbids', { credentialSubject: { level: 10, since: '2024-01-01' } }, 400, 'level'],
    ['a pattern of the document', { credentialSubject: { level: 1, since: '2024-01-01', note: 'UPPER' } }, 400, 'note'],
    ['an unknown issuer', { issuerDid: 'did:web:nobody.example' }, 404, 'issuerDid'],
    ['an unknown credential', { credentialId: 'none' }, 404, 'credentialId'],
    ['no recipient', { email: undefined }, 400, 'recipient'],
    ['an unknown userId', { email: undefined, userId: randomUUID() }, 404, 'userId'],
    ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 400, 'future'],
  ])('refuses %s', async (_name, change, status, part) => {
    const body = {
      issuerDid,
      credentialId: 'member',
      credentialSubject: { level: 3, since: '2024-02-29' },
      email: EMAIL,
      ...change,
    };
    const answer = await partner('POST', '/v1/credentials/issue-on-behalf', body);
    expect([answer.status, answer.body.error]).toEqual([status, status]);
    expect(answer.body.message).toContain(part);
  });

  it('answers one form of error to everyone else', async () => {
    expect((await gateway.rest('POST', '/v1/credentials/issue-on-behalf', { body: {} })).status).toBe(401);
    const verifyOnly = { 'x-partner-auth': await token({}, 'verify') };
    expect(
      (await gateway.rest('POST', '/v1/credentials/issue-on-behalf', { body: {}, headers: verifyOnly })).status,
    ).toBe(403);
    expect((await gateway.rest('GET', '/v1/credentials/status')).status).toBe(400);
    expect((await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${'0'.repeat(64)}`)).status).toBe(404);
  });
});

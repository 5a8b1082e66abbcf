// What issuing and storing refuse: wrong structure, subjects that do not fit the schema, and callers without a right
// (contract §4.3, §5).
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
    ['no word about its expiry', { expiresAt: undefined }, '"expiresAt" is missing'],
    ['a day that is none', { expiresAt: '2030-02-30T00:00:00Z' }, 'ISO 8601, or null'],
    ['an unknown proof type', { proofType: 'PGP' }, 'proofType'],
    ['an unknown field', { more: 1 }, 'more'],
  ])('storing refuses %s', async (_name, change, field) => {
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

  it('storing answers 404 for an unknown holder and an unknown schema', async () => {
    const body = {
      holderDid: recipient.did,
      schemaId: SCHEMA.$id,
      expiresAt: null,
      ...encrypt('x', recipient.publicKey),
      externalId: randomUUID(),
    };
    const stranger = `${recipient.did.slice(0, -1)}${recipient.did.endsWith('1') ? '2' : '1'}`;
    expect((await partner('POST', '/v1/dstorage/vcs', { ...body, holderDid: stranger })).status).toBe(404);
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
    ['a subject that is a list', { credentialSubject: [] }, 400, '"credentialSubject" must be an object'],
    ['no subject', { credentialSubject: undefined }, 400, '"credentialSubject" is missing'],
    ['a name as long as a body', { credentialSubject: { ['k'.repeat(99_999)]: 1 } }, 400, `${'k'.repeat(100)}…`],
    ['an empty name', { credentialSubject: { '': 1 } }, 400, '"" is not a data point'],
    ['half of a surrogate pair', { credentialSubject: { level: '\ud800' } }, 400, 'a text that is not Unicode'],
  ])('issuing on behalf refuses %s', async (_name, change, status, part) => {
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

  it.each([
    ['a number beyond every number', '1e999', 'credentialSubject.note" is a number that a double cannot hold exactly'],
    ['what is nested forty times', `${'['.repeat(40)}${']'.repeat(40)}`, 'nested deeper than 32 levels'],
    ['half of a surrogate pair, written out', String.raw`"\udc00"`, 'note" has a text that is not Unicode'],
    ['a name inside that is half of a pair', String.raw`{"\ud800":1}`, 'has a text that is not Unicode'],
  ])('issuing on behalf refuses %s', async (_name, note, part) => {
    const subject = `{"level":3,"since":"2024-02-29","note":${note}}`;
    const text = JSON.stringify({ issuerDid, credentialId: 'member', email: EMAIL, credentialSubject: 0 });
    const headers = { 'content-type': 'application/json', 'x-partner-auth': await token() };
    const body = text.replace('"credentialSubject":0', () => `"credentialSubject":${subject}`);
    const answer = await fetch(`${gateway.url}/v1/credentials/issue-on-behalf`, { method: 'POST', headers, body });
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      400,
      expect.stringContaining(part),
    ]);
  });

  it('issuing on behalf takes a dotted name as a dotted name only', async () => {
    const dataPoints = [{ name: 'home.city', type: 'string', isRequired: true, description: '' }];
    await gateway.admin('PUT', '/v1/admin/schemas/homes', { body: { title: 'h', description: '', dataPoints } });
    const credential = { name: 'Home', category: 'Club', issuerId: 'club', schemaId: 'homes' };
    expect((await gateway.admin('PUT', '/v1/admin/credentials/home', { body: credential })).status).toBe(200);
    const issue = (credentialSubject: object) =>
      partner('POST', '/v1/credentials/issue-on-behalf', {
        ...{ issuerDid, credentialId: 'home', email: EMAIL },
        credentialSubject,
      });
    expect((await issue({ home: { city: 'Rome' } })).status).toBe(200);
    const { status, body } = await issue({ 'home.city': 'Rome' });
    expect([status, body.message]).toEqual([400, expect.stringContaining('home.city is not a data point')]);
  });

  it('GraphQL refuses what REST refuses: a day that does not exist, an unknown name', async () => {
    const headers = { 'x-partner-auth': await token() };
    const issue = (more: string) =>
      gateway.gql(
        `mutation { issueOnBehalf(input: { issuerDid: "${issuerDid}", credentialId: "member", email: "${EMAIL}" ${more} }) { issuance { coreClaimHash } } }`,
        {},
        headers,
      );
    const day = await issue('credentialSubject: { level: 3, since: "2024-02-29" }, expiresAt: "2090-02-30T00:00:00Z"');
    expect(day.errors?.[0]?.message).toContain('must be a date-time in ISO 8601');
    const name = await issue('credentialSubject: { level: 3, since: "2024-02-29", __proto__: { a: 1 } }');
    expect(name.errors?.[0]?.message).toContain(
      '"input.credentialSubject" names __proto__ or constructor.prototype, which is refused',
    );
  });

  it('there is a status list for each list with an issuance, and the first list of each issuer', async () => {
    const list = (id: string) => gateway.rest('GET', `/v1/credentials/status-lists/${id}`);
    expect((await list('club.1')).status).toBe(200);
    for (const id of ['club.0', 'club.01', 'club.2', 'club.999999', 'club', 'none.1'])
      expect([id, (await list(id)).status]).toEqual([id, 404]);
  });

  it('every caller without a right gets the same form of error', async () => {
    expect((await gateway.rest('POST', '/v1/credentials/issue-on-behalf', { body: {} })).status).toBe(401);
    const verifyOnly = { 'x-partner-auth': await token({}, 'verify') };
    expect(
      (await gateway.rest('POST', '/v1/credentials/issue-on-behalf', { body: {}, headers: verifyOnly })).status,
    ).toBe(403);
    expect((await gateway.rest('GET', '/v1/credentials/status')).status).toBe(400);
    expect((await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${'0'.repeat(64)}`)).status).toBe(404);
  });
});

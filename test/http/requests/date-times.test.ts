// Date-times may be without seconds wherever a request has one.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dateTime, parseInput } from '../../../src/base/input.js';
import { parseCondition } from '../../../src/conditions/index.js';
import { type Membership, startMembership } from '../../support/membership.js';

let membership: Membership;
beforeAll(async () => {
  membership = await startMembership();
});
afterAll(() => membership.gateway.close());

describe('A date-time', () => {
  it.each(['2037-06-30T12:00Z', '2037-06-30T12:00+02:00', '2037-06-30T12:00:30.5Z', '2036-02-29T00:00-11:30'])(
    'a date-time may be %s',
    (text) => expect(parseInput(dateTime(), text)).toBe(text),
  );
  it.each([
    ...['2037-06-30T12:00', '2037-06-30T12Z', '2037-06-30 12:00Z', '2037-02-29T12:00Z', '2037-06-31T12:00Z'],
    ...['2037-06-30T24:00Z', '2037-06-30T12:60Z', '2037-06-30T12:00+2:00', '2037-06-30', ''],
  ])('a date-time cannot be %s', (text) =>
    expect(() => parseInput(dateTime(), text)).toThrow('must be a date-time in ISO 8601'),
  );
});

describe('A date-time without seconds', () => {
  const AT = '2037-06-30T12:00Z';
  const WHOLE = '2037-06-30T12:00:00.000Z';

  it('a date-time without seconds can be the expiry of a credential, in REST and GraphQL', async () => {
    const { gateway, issuerDid, partner, token } = membership;
    const request = { issuerDid, credentialId: 'member', credentialSubject: { level: 1, since: '2024-01-01' } };
    const body = { ...request, email: 'rest@b.example', expiresAt: AT };
    expect(await partner('POST', '/v1/credentials/issue-on-behalf', body)).toMatchObject({ status: 200 });
    const query =
      'mutation ($input: IssueOnBehalfInput!) { issueOnBehalf(input: $input) { issuance { coreClaimHash } } }';
    const variables = { input: { ...body, email: 'graphql@b.example' } };
    const headers = { 'x-partner-auth': await token() };
    expect((await gateway.rest('POST', '/graphql', { body: { query, variables }, headers })).body.errors).toBe(
      undefined,
    );
    const rows = await gateway.app.connection.collection('issuances').find().toArray();
    expect(rows.map(({ expiresAt }) => (expiresAt as Date).toISOString())).toEqual([WHOLE, WHOLE]);
  });

  it('a date-time without seconds can be the expiry of a stored credential', async () => {
    const { partner } = membership;
    const bytes = createHash('sha256').update('x').digest('base64');
    const body = { holderDid: 'did:core:nobody', schemaId: 'x', externalId: 'x', data: bytes, iv: bytes };
    const stored = { ...body, authTag: bytes, encryptedKey: bytes, expiresAt: AT };
    expect((await partner('POST', '/v1/dstorage/vcs', stored)).body.message).not.toContain('expiresAt');
    const refused = await partner('POST', '/v1/dstorage/vcs', { ...stored, expiresAt: '2037-06-31T12:00Z' });
    expect(refused.body.message).toBe('"expiresAt" must be a date-time in ISO 8601, or null.');
  });

  it('a date-time without seconds can limit when a credential is issued, and a revocation', async () => {
    const { gateway, partner } = membership;
    const credential = await gateway.admin('GET', '/v1/admin/credentials/member');
    const { name, category, issuerId, schemaId } = credential.body;
    const body = { name, category, issuerId, schemaId, accessibleEnd: AT };
    const put = await gateway.admin('PUT', '/v1/admin/credentials/member', { body });
    expect([put.status, put.body.accessibleEnd]).toEqual([200, WHOLE]);
    const filter = { credentialId: 'member', issuedBefore: AT };
    const preview = await gateway.admin('POST', '/v1/revocations/previews', { body: filter });
    expect(preview, JSON.stringify(preview.body)).toMatchObject({ status: 200 });
    expect((await partner('GET', `/v1/programs/none/proof-request?now=${AT}`)).body.message).not.toContain('now');
  });

  it('a date-time without seconds in a condition equals the one with seconds', () => {
    expect(parseCondition(`seen < ${AT}`)).toEqual(parseCondition('seen < 2037-06-30T12:00:00Z'));
    expect(parseCondition('seen in [2037-06-30T12:00+02:00]').values).toEqual(['2037-06-30T12:00:00+02:00']);
    for (const text of ['2037-06-30T12:00', '2037-06-31T12:00Z', '2037-06-30T24:61Z'])
      expect(() => parseCondition(`seen < ${text}`)).toThrow('not a date, or not a date-time with its zone');
  });
});

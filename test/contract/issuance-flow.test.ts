// The back end of a partner and the device of a holder, written from the contract with nothing but jose, node:crypto
// and fetch. A credential is issued, stored and found revoked, and only its holder can read it.
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import canonicalize from 'canonicalize';
import { compactVerify, createRemoteJWKSet, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import type { TestGateway } from '../support/gateway.js';
import { decrypt, encrypt, keyOfDidKey } from '../support/holder-device.js';
import { EMAIL, type Membership, SCHEMA, startMembership } from '../support/membership.js';

let gateway: TestGateway;
let partner: Membership['partner'];
let token: Membership['token'];
let issuerDid: string;
let partnerId: string;

beforeAll(async () => {
  ({ gateway, partner, token, issuerDid, partnerId } = await startMembership());
});
afterAll(() => gateway.close());

describe('a partner issues, and only the holder reads', () => {
  let recipient: { userId: string; did: string; publicKey: string; status: string };
  let hash: string;
  let session: string;
  let deviceKey: KeyObject;

  it('a partner finds the same recipient, whatever the case of the address', async () => {
    const first = await partner('POST', '/v1/auth/initialize-user', { email: EMAIL });
    expect(first.status).toBe(200);
    recipient = first.body;
    expect(recipient).toEqual({
      userId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      did: expect.stringMatching(/^did:core:id:testnet:[1-9A-HJ-NP-Za-km-z]{41,42}$/),
      publicKey: expect.stringMatching(/^0x[0-9a-f]{88}$/),
      status: 'new',
    });
    const again = await partner('POST', '/v1/auth/initialize-user', { email: ` ${EMAIL.toUpperCase()} ` });
    expect(again.body).toEqual({ ...recipient, status: 'existing' });
  });

  it('a partner stores what the issuer encrypted, once for an externalId, with a receipt', async () => {
    const package_ = {
      holderDid: recipient.did,
      schemaId: SCHEMA.$id,
      expiresAt: null,
      ...encrypt('{"hello":"holder"}', recipient.publicKey),
      externalId: 'ext-1',
    };
    const stored = await partner('POST', '/v1/dstorage/vcs', package_);
    expect(stored.status).toBe(201);
    expect(stored.body).toEqual({
      storagePath: expect.stringMatching(/^dstorage:\/\/vc\//),
      state: 'STORED',
      envelopeVersion: '1',
      createdAt: expect.any(String),
    });
    expect((await partner('POST', '/v1/dstorage/vcs', package_)).body).toEqual(stored.body);
    expect((await partner('POST', '/v1/dstorage/vcs', { ...package_, proofType: 'JWT_VC' })).status).toBe(409);
    const own = await partner('GET', `/v1/dstorage/vcs/${stored.body.storagePath.split('/').at(-1)}`);
    const { payload } = await compactVerify(
      own.body.receipt,
      createRemoteJWKSet(new URL(`${gateway.url}/.well-known/jwks.json`)),
    );
    const { holderDid, schemaId, expiresAt, data, iv, authTag, encryptedKey } = package_;
    const stated =
      canonicalize({ holderDid, proofType: 'BJJ_SIG_2021', schemaId, expiresAt, data, iv, authTag, encryptedKey }) ??
      '';
    expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({
      sha256: createHash('sha256').update(stated).digest('hex'),
      partnerId: partnerId,
    });
  });

  it('a partner issues on behalf of an issuer, once for each idempotency key, by REST and by GraphQL', async () => {
    const body = {
      issuerDid,
      credentialId: 'member',
      credentialSubject: { level: 3, since: '2024-02-29', note: 'canary plaintext' },
      email: EMAIL,
    };
    const issued = await partner('POST', '/v1/credentials/issue-on-behalf', body, { 'idempotency-key': 'once' });
    expect(issued.status).toBe(200);
    expect(issued.body).toEqual({
      coreClaimHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      credentialId: 'member',
      userUuid: recipient.userId,
    });
    hash = issued.body.coreClaimHash;
    expect(
      (await partner('POST', '/v1/credentials/issue-on-behalf', body, { 'idempotency-key': 'once' })).body,
    ).toEqual(issued.body);
    expect(
      (
        await partner(
          'POST',
          '/v1/credentials/issue-on-behalf',
          { ...body, onDuplicate: 'ignore' },
          { 'idempotency-key': 'once' },
        )
      ).status,
    ).toBe(422);
    expect((await partner('POST', '/v1/credentials/issue-on-behalf', { ...body, onDuplicate: 'ignore' })).body).toEqual(
      issued.body,
    );
    const mutation =
      'mutation ($input: IssueOnBehalfInput!) { issueOnBehalf(input: $input) { issuance { coreClaimHash credentialId userUuid } } }';
    const { data, errors } = await gateway.gql(
      mutation,
      { input: { ...body, onDuplicate: 'IGNORE' } },
      { 'x-partner-auth': await token() },
    );
    expect(errors).toBeUndefined();
    expect(data.issueOnBehalf.issuance).toEqual(issued.body);
  });

  it('anyone can read the status of an issuance, which the catalog counts within seconds', async () => {
    const { body } = await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`);
    expect(body).toEqual({
      coreClaimHash: hash,
      issuanceDate: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      expirationDate: expect.any(String),
      issuerDid,
      issuerId: 'club',
      schemeId: SCHEMA.$id,
      vcId: expect.any(String),
      vcDstorageId: expect.any(String),
      vcStatus: 'WAIT_ONCHAIN',
      anchor: null,
      removal: null,
    });
    await eventually(async () => {
      const { data } = await gateway.gql(
        '{ credential(credentialId: "member") { traction { issuanceCount holderCount } issuer { traction { issuanceCount holderCount } } } }',
      );
      expect(data.credential).toEqual({
        traction: { issuanceCount: 1, holderCount: 1 },
        issuer: { traction: { issuanceCount: 1, holderCount: 1 } },
      });
    });
  });

  it('a holder logs in, takes the key once, and reads both credentials', async () => {
    const login = await gateway.rest('POST', '/v1/auth/login', {
      body: {},
      headers: { 'x-partner-auth': await token({ email: EMAIL }) },
    });
    expect(login.status).toBe(202);
    const mailbox = await gateway.admin('GET', `/v1/sandbox/mailbox?email=${encodeURIComponent(EMAIL)}`);
    const { code } = mailbox.body.messages.at(-1);
    const verified = await gateway.rest('POST', '/v1/auth/verify', { body: { loginId: login.body.loginId, code } });
    expect(verified.body).toMatchObject({ isLoggedIn: true, id: recipient.userId, isMFASetup: false });
    session = verified.body.token;
    const holder = { authorization: `Bearer ${session}` };
    const device = generateKeyPairSync('x25519');
    const devicePublicKey = `0x${device.publicKey.export({ format: 'der', type: 'spki' }).toString('hex')}`;
    const handed = await gateway.rest('POST', '/v1/holders/me/key', { body: { devicePublicKey }, headers: holder });
    const { wrappedKey } = handed.body;
    deviceKey = createPrivateKey({
      key: decrypt(device.privateKey, {
        data: wrappedKey.encryptedData,
        iv: wrappedKey.iv,
        authTag: wrappedKey.authTag,
        key: wrappedKey.dataEncPublicKey,
      }),
      format: 'der',
      type: 'pkcs8',
    });
    const again = await gateway.rest('POST', '/v1/holders/me/key', { body: { devicePublicKey }, headers: holder });
    expect([again.status, again.body]).toEqual([200, handed.body]);
    const other = { devicePublicKey: recipient.publicKey };
    expect((await gateway.rest('POST', '/v1/holders/me/key', { body: other, headers: holder })).status).toBe(410);
    const { body: list } = await gateway.rest('GET', '/v1/holders/me/credentials', { headers: holder });
    expect(list.items).toHaveLength(2);
    const read = async (id: string) => {
      const { body } = await gateway.rest('GET', `/v1/holders/me/credentials/${id}`, { headers: holder });
      return decrypt(deviceKey, { ...body, key: body.encryptedKey }).toString();
    };
    expect(await read(list.items[0].id)).toBe('{"hello":"holder"}');
    const issued = JSON.parse(await read(list.items[1].id));
    expect(
      createHash('sha256')
        .update(canonicalize(issued.coreClaim) ?? '')
        .digest('hex'),
    ).toBe(hash);
    const { payload, protectedHeader } = await compactVerify(issued.vc, keyOfDidKey(issuerDid));
    expect(protectedHeader).toMatchObject({
      alg: 'ES256',
      typ: 'vc+jwt',
      kid: `${issuerDid}#${issuerDid.slice('did:key:'.length)}`,
    });
    const vc = JSON.parse(new TextDecoder().decode(payload));
    expect(vc).toMatchObject({
      '@context': ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/ns/credentials/undefined-terms/v2'],
      issuer: issuerDid,
      iss: issuerDid,
      credentialSubject: { id: recipient.did, level: 3, since: '2024-02-29', note: 'canary plaintext' },
      credentialStatus: {
        type: 'BitstringStatusListEntry',
        statusPurpose: 'revocation',
        revocationNonce: issued.coreClaim.revocationNonce,
      },
    });
    const document = await gateway.rest('GET', new URL(vc.credentialSchema.id).pathname);
    expect(document.body).toEqual(SCHEMA);
  });

  it('a revocation is for good: status, nonce and the signed list show it', async () => {
    const { body: history } = await gateway.admin('GET', '/v1/admin/issuance-history?limit=1');
    const nonce = history.data[0].revocationNonce;
    const revoked = await partner('POST', '/v1/credentials/revoke', { coreClaimHash: hash });
    expect(revoked.body).toEqual({ revokedAt: expect.any(String) });
    expect((await gateway.admin('POST', '/v1/admin/revoke', { body: { nonce } })).body).toEqual(revoked.body);
    expect((await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`)).body.vcStatus).toBe('REMOVE');
    expect((await gateway.rest('GET', `/v1/credentials/revocation-status/${nonce}`)).body).toEqual({ isRevoked: true });
    const issuance = await gateway.app.connection.collection('issuances').findOne({ coreClaimHash: hash });
    const list = await gateway.rest('GET', `/v1/credentials/status-lists/${issuance?.statusListId}`);
    expect(list.headers.get('content-type')).toBe('application/vc+jwt');
    expect(decodeProtectedHeader(list.body).typ).toBe('vc+jwt');
    const { payload } = await compactVerify(list.body, keyOfDidKey(issuerDid));
    const { encodedList } = JSON.parse(new TextDecoder().decode(payload)).credentialSubject;
    const bits = gunzipSync(Buffer.from(encodedList.slice(1), 'base64url'));
    expect(bits).toHaveLength(16_384);
    const index = issuance?.statusListIndex as number;
    expect(bits.reduce((count, byte) => count + byte.toString(2).replaceAll('0', '').length, 0)).toBe(1);
    expect((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))).not.toBe(0);
    const again = await gateway.rest('GET', `/v1/credentials/status-lists/${issuance?.statusListId}`, {
      headers: { 'if-none-match': list.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  it('a new credential can be issued after a revocation, and by default it revokes an existing one', async () => {
    const body = {
      issuerDid,
      credentialId: 'member',
      credentialSubject: { level: 4, since: '2024-02-29' },
      userId: recipient.userId,
    };
    const second = await partner('POST', '/v1/credentials/issue-on-behalf', body);
    const third = await partner('POST', '/v1/credentials/issue-on-behalf', body);
    expect(third.body.coreClaimHash).not.toBe(second.body.coreClaimHash);
    expect(
      (await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${second.body.coreClaimHash}`)).body.vcStatus,
    ).toBe('REMOVE');
    expect(
      (await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${third.body.coreClaimHash}`)).body.vcStatus,
    ).toBe('WAIT_ONCHAIN');
  });

  it('issuing ends when the holder declines the partner', async () => {
    const headers = { authorization: `Bearer ${session}` };
    await gateway.rest('PUT', `/v1/holders/me/partners/${partnerId}`, { body: { consent: 'declined' }, headers });
    const body = {
      issuerDid,
      credentialId: 'member',
      credentialSubject: { level: 4, since: '2024-02-29' },
      email: EMAIL,
    };
    expect((await partner('POST', '/v1/credentials/issue-on-behalf', body)).status).toBe(409);
  });
});

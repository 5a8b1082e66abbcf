// A partner's back end and a holder's device, written from the contract with nothing but jose, node:crypto and fetch: a credential is
// issued, stored, found revoked, and only its holder can read it.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import canonicalize from 'canonicalize';
import { compactVerify, createRemoteJWKSet, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';

const PARTNER = randomUUID();
const EMAIL = 'ada.canary@example.org';
const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://schemas.example/membership.json',
  title: 'Membership',
  type: 'object',
  properties: {
    credentialSubject: {
      type: 'object',
      required: ['level', 'since'],
      properties: {
        id: { type: 'string' },
        level: { type: 'integer', minimum: 1, maximum: 9 },
        since: { type: 'string', format: 'date' },
        note: { type: 'string', pattern: '^[a-z ]*$' },
      },
    },
  },
};

let gateway: TestGateway;
let signingKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
let issuerDid: string;

const token = (claims: object = {}, scope = 'issue') =>
  new SignJWT({ partnerId: PARTNER, scope, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k1' })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(signingKey);

async function partner(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return gateway.rest(method, path, { body, headers: { 'x-partner-auth': await token(), ...headers } });
}

beforeAll(async () => {
  gateway = await startGateway();
  const pair = await generateKeyPair('ES256', { extractable: true });
  signingKey = pair.privateKey;
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
  const issuer = await gateway.admin('PUT', '/v1/admin/issuers/club', {
    body: { name: 'Club', issuerFrom: 'test', managed: true },
  });
  expect(issuer.status).toBe(200);
  issuerDid = issuer.body.issuerDid;
  const partnerBody = {
    name: 'P',
    jwks: { keys: [jwk] },
    scopes: ['issue', 'verify'],
    issuerDids: [issuerDid],
    issueOnBehalf: true,
    allowedOrigins: [],
    requireTyp: true,
  };
  expect((await gateway.admin('PUT', `/v1/admin/partners/${PARTNER}`, { body: partnerBody })).status).toBe(200);
  await gateway.admin('PUT', `/v1/admin/schemas/${encodeURIComponent(SCHEMA.$id)}`, { body: { jsonSchema: SCHEMA } });
  const credential = {
    name: 'Member',
    category: 'Club',
    issuerId: 'club',
    schemaId: SCHEMA.$id,
    expirationDuration: 86_400,
  };
  expect((await gateway.admin('PUT', '/v1/admin/credentials/member', { body: credential })).status).toBe(200);
});
afterAll(() => gateway.close());

/** Contract §4.2, the sender's side. */
function encrypt(plaintext: string, recipientHex: string) {
  const recipient = createPublicKey({ key: Buffer.from(recipientHex.slice(2), 'hex'), format: 'der', type: 'spki' });
  const ephemeral = generateKeyPairSync('x25519');
  const key = derive(ephemeral.privateKey, recipient);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const data = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return {
    data: data.toString('base64'),
    iv: iv.toString('base64'),
    authTag: cipher.getAuthTag().toString('base64'),
    encryptedKey: ephemeral.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  };
}

function derive(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  return Buffer.from(
    hkdfSync('sha256', diffieHellman({ privateKey, publicKey }), Buffer.alloc(0), 'data-enc-aes-256-gcm', 32),
  );
}

function decrypt(privateKey: KeyObject, parts: { data: string; iv: string; authTag: string; key: string }): Buffer {
  const ephemeral = createPublicKey({ key: Buffer.from(parts.key, 'base64'), format: 'der', type: 'spki' });
  const decipher = createDecipheriv('aes-256-gcm', derive(privateKey, ephemeral), Buffer.from(parts.iv, 'base64'));
  decipher.setAuthTag(Buffer.from(parts.authTag, 'base64'));
  return Buffer.concat([decipher.update(Buffer.from(parts.data, 'base64')), decipher.final()]);
}

/** A did:key of P-256 as a public key (did:key method, multicodec 0x1200). */
function keyOfDidKey(did: string): KeyObject {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let number = 0n;
  for (const character of did.slice('did:key:z'.length)) number = number * 58n + BigInt(alphabet.indexOf(character));
  const bytes = Buffer.from(number.toString(16).padStart(70, '0'), 'hex');
  expect(bytes.subarray(0, 2)).toEqual(Buffer.from([0x80, 0x24]));
  const head = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex');
  return createPublicKey({ key: Buffer.concat([head, bytes.subarray(2)]), format: 'der', type: 'spki' });
}

describe('a partner issues, and only the holder reads', () => {
  let recipient: { userId: string; did: string; publicKey: string; status: string };
  let hash: string;
  let session: string;
  let deviceKey: KeyObject;

  it('resolves the recipient once, whatever the case of the address', async () => {
    const first = await partner('POST', '/v1/auth/initialize-user', { email: EMAIL });
    expect(first.status).toBe(200);
    recipient = first.body;
    expect(recipient).toEqual({
      userId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      did: expect.stringMatching(/^did:core:id:testnet:[1-9A-HJ-NP-Za-km-z]{40}$/),
      publicKey: expect.stringMatching(/^0x[0-9a-f]{88}$/),
      status: 'new',
    });
    const again = await partner('POST', '/v1/auth/initialize-user', { email: ` ${EMAIL.toUpperCase()} ` });
    expect(again.body).toEqual({ ...recipient, status: 'existing' });
  });

  it('stores what the issuer encrypted, once for an externalId, with a receipt', async () => {
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
      partnerId: PARTNER,
    });
  });

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

  it('issues on behalf, the same once for an idempotency key, by REST and by GraphQL alike', async () => {
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

  it('tells anyone the status, and counts in the catalog within seconds', async () => {
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
    });
    for (let asked = 0; ; asked += 1) {
      expect(asked).toBeLessThan(2_000);
      const { data } = await gateway.gql(
        '{ credential(credentialId: "member") { traction { issuanceCount holderCount } issuer { traction { issuanceCount holderCount } } } }',
      );
      if (data.credential.traction.issuanceCount === 0) continue;
      expect(data.credential).toEqual({
        traction: { issuanceCount: 1, holderCount: 1 },
        issuer: { traction: { issuanceCount: 1, holderCount: 1 } },
      });
      break;
    }
  });

  it('lets the holder log in, take the key once, and read both credentials', async () => {
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
    expect(
      (await gateway.rest('POST', '/v1/holders/me/key', { body: { devicePublicKey }, headers: holder })).status,
    ).toBe(410);
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
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      issuer: issuerDid,
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

  it('revokes for good: status, nonce and the signed list say so', async () => {
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

  it('issues anew after a revocation, and by default revokes what is there', async () => {
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

  it('stops when the holder declines the partner', async () => {
    const headers = { authorization: `Bearer ${session}` };
    await gateway.rest('PUT', `/v1/holders/me/partners/${PARTNER}`, { body: { consent: 'declined' }, headers });
    const body = {
      issuerDid,
      credentialId: 'member',
      credentialSubject: { level: 4, since: '2024-02-29' },
      email: EMAIL,
    };
    expect((await partner('POST', '/v1/credentials/issue-on-behalf', body)).status).toBe(409);
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

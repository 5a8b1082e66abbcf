// Promises of initialize-user: one holder for each e-mail, whoever asks, with a DID for life and a key to encrypt to.
import { createPublicKey, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jws, keyPair } from '../partners/support.js';
import { dumpOf } from '../support/database.js';
import { idOf } from '../support/iden3.js';
import { putPartner, startWorld, type World } from './support.js';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const DID = /^did:core:id:testnet:[1-9A-HJ-NP-Za-km-z]{41,42}$/;

describe('initialize-user', () => {
  it('initialize-user creates a holder for an unknown address and finds it again, in every spelling', async () => {
    const { status, body } = await world.initialize('Ann@Example.com');
    expect(status).toBe(200);
    expect(body).toEqual({
      userId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      did: expect.stringMatching(DID),
      publicKey: expect.stringMatching(/^0x302a300506032b656e032100[0-9a-f]{64}$/),
      status: 'new',
    });
    const again = await world.initialize('  aNN@example.COM ');
    expect(again.body).toEqual({ ...body, status: 'existing' });
    const key = Buffer.from(body.publicKey.slice(2), 'hex');
    expect(createPublicKey({ key, format: 'der', type: 'spki' }).asymmetricKeyType).toBe('x25519');
  });

  it('initialize-user returns one holder to concurrent requests, and to every partner', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.initialize('crowd@example.com')));
    expect(new Set(answers.map(({ body }) => `${body.userId} ${body.did} ${body.publicKey}`)).size).toBe(1);
    expect(answers.filter(({ body }) => body.status === 'new')).toHaveLength(1);
    const [other, key] = [randomUUID(), keyPair('p256', 'k9')];
    await putPartner(world.gateway, other, key);
    const claims = { partnerId: other, scope: 'issue', exp: Math.floor(world.clock.now / 1_000) + 60 };
    const token = jws({ alg: 'ES256', typ: 'JWT', kid: 'k9' }, claims, key.privateKey, 'ES256');
    const asked = await world.gateway.rest('POST', '/v1/auth/initialize-user', {
      body: { email: 'crowd@example.com' },
      headers: { 'x-partner-auth': token },
    });
    expect(asked.body.userId).toBe(answers[0]?.body.userId);
  });

  it.each([
    ['no e-mail', {}, 'email'],
    ['two addresses', { email: 'a@b.example,c@d.example' }, 'email'],
    ['a line break', { email: 'a@b.example\r\nbcc: c@d.example' }, 'email'],
    ['no domain', { email: 'ann' }, 'email'],
    ['not a text', { email: { $gt: '' } }, 'email'],
    ['far too long', { email: `${'a'.repeat(60)}@${'b'.repeat(300)}.example` }, 'email'],
    ['a field nobody knows', { email: 'a@b.example', did: 'x' }, 'did'],
    ['an id that is too long', { email: 'a@b.example', partnerUserId: 'x'.repeat(256) }, 'partnerUserId'],
  ])('initialize-user refuses %s', async (_, body, field) => {
    const answer = await world.asPartner('/v1/auth/initialize-user', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: 400, message: expect.stringContaining(field) });
  });

  it('initialize-user needs the scope issue', async () => {
    const answer = await world.asPartner('/v1/auth/initialize-user', { email: 'a@b.example' }, { scope: 'verify' });
    expect(answer.status).toBe(403);
  });

  it('initialize-user returns the same in the older form', async () => {
    const call = (partnerId: string | undefined, partnerJwt: string) =>
      world.gateway.rest('POST', '/v2/auth/initialize-user', {
        body: { partnerJwt },
        headers: partnerId === undefined ? {} : { 'x-partner-id': partnerId },
      });
    const { body } = await world.initialize('old@example.com');
    const good = world.token({ email: 'Old@example.com' });
    expect((await call(world.partnerId, good)).body).toEqual({ ...body, status: 'existing' });
    const without = { error: 400, message: 'The header x-partner-id is missing or empty.' };
    for (const none of [undefined, '']) expect((await call(none, good)).body).toEqual(without);
    expect((await call(randomUUID(), good)).status).toBe(403);
    expect((await call(world.partnerId, world.token())).status).toBe(400);
    expect((await call(world.partnerId, `${good}x`)).status).toBe(403);
    expect((await call(world.partnerId, world.token({ email: 'a@b.example', scope: 'verify' }))).status).toBe(403);
  });

  it('initialize-user in the older form refuses an invalid address with the sentence that its clients compare', async () => {
    const call = (email: unknown) =>
      world.gateway.rest('POST', '/v2/auth/initialize-user', {
        body: { partnerJwt: world.token({ email }) },
        headers: { 'x-partner-id': world.partnerId },
      });
    for (const email of ['ann', '', 'a@b', 7, null])
      expect((await call(email)).body).toEqual({ error: 400, message: 'Invalid email address' });
    expect((await call(undefined)).body.message).toBe('The claim "email" of the token is missing.');
  });

  it('initialize-user is a mutation, too', async () => {
    const mutation =
      'mutation ($email: String!) { initializeUser(input: { email: $email }) { recipient { userId did publicKey status } } }';
    const { body } = await world.initialize('graph@example.com');
    const headers = { 'x-partner-auth': world.token() };
    const { data } = await world.gateway.gql(mutation, { email: 'GRAPH@example.com' }, headers);
    expect(data.initializeUser.recipient).toEqual({ ...body, status: 'EXISTING' });
    const refused = await world.gateway.gql(mutation, { email: 'graph@example.com' });
    expect(refused.errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED', httpStatus: 401 });
  });

  it('initialize-user is limited per address, and returns Retry-After', async () => {
    // Ahead, so that the store does not delete the counts of that minute meanwhile.
    world.clock.now += 600_000;
    const answers = await Promise.all(Array.from({ length: 121 }, () => world.initialize('often@example.com')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    world.clock.now += 61_000;
    expect((await world.initialize('often@example.com')).status).toBe(200);
  });
});

describe('the DID document', () => {
  it('the DID document has the current key for key agreement, and is public', async () => {
    const { body } = await world.initialize('doc@example.com');
    const document = await world.gateway.rest('GET', `/v1/dids/${body.did}`);
    expect(document.status).toBe(200);
    expect(document.body.id).toBe(body.did);
    expect(document.body.keyAgreement).toEqual([
      expect.objectContaining({
        type: 'Multikey',
        controller: body.did,
        publicKeyMultibase: expect.stringMatching(/^z6LS/),
      }),
    ]);
    expect(JSON.stringify(document.body)).not.toContain('doc@');
    expect((await world.gateway.rest('GET', '/v1/dids/did:core:id:testnet:nobody')).status).toBe(404);
  });

  it('the DID document has another prefix in production', async () => {
    const production = await startWorld({
      NETWORK_ENV: 'production',
      PUBLIC_URL: 'https://gateway.example',
      KEYSTORE_KEY: Buffer.alloc(32, 7).toString('base64'),
      HOLDER_DID_TYPE: '0100',
    });
    try {
      const { did } = (await production.initialize('p@example.com')).body;
      expect(did).toMatch(/^did:core:id:main:/);
      expect(Buffer.from(idOf(did.split(':').at(-1)).type()).toString('hex')).toBe('0100');
      const mailbox = await production.gateway.admin('GET', '/v1/sandbox/mailbox?email=p@example.com');
      expect(mailbox.status).toBe(404);
      expect((await production.asPartner('/v1/auth/login', {}, { email: 'p@example.com' })).status).toBe(503);
    } finally {
      await production.close();
    }
  });
});

describe('at rest', () => {
  it("no e-mail address, partner's user id, code or private key is readable in the database", async () => {
    const email = 'canary-person@example.com';
    await world.asPartner('/v1/auth/initialize-user', { email, partnerUserId: 'canary-user-id' });
    const token = await world.login(email, { partnerUserId: 'canary-user-id' });
    const code = await world.lastCode(email);
    const dump = (await dumpOf(world.gateway.app.connection)).toLowerCase();
    for (const secret of [
      'canary-person',
      'canary-user-id',
      Buffer.from(email).toString('base64').slice(0, 20).toLowerCase(),
    ]) {
      expect(dump).not.toContain(secret);
    }
    expect(dump).not.toMatch(new RegExp(`\\b${code}\\b`));
    expect(dump).not.toContain(token.split('.')[2]?.toLowerCase());
    // PKCS#8 of X25519 begins so, in hex and in base64.
    expect(dump).not.toContain('302e020100300506032b656e');
    expect(dump).not.toContain('mc4caqawbqydk2vubcie');
  });
});

// Promises about a holder's key: it is handed over to one device, opens what was encrypted before, and can be replaced after a loss.
import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decryptWith, encryptTo, x25519FromHex } from '../../src/keys/holder-encryption.js';
import { device, startWorld, unwrap, type World } from './support.js';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const KEY = '/v1/holders/me/key';

describe('the hand-over', () => {
  it("the hand-over returns the private key to the device, which decrypts earlier credentials; the gateway's copy is gone", async () => {
    const { body: recipient } = await world.initialize('hand@example.com');
    const before = await encryptTo(x25519FromHex(recipient.publicKey, 'publicKey'), 'for the holder');
    const token = await world.login('hand@example.com');
    const mine = device();
    const { status, body } = await world.asHolder('POST', KEY, token, { devicePublicKey: mine.hex });
    expect(status).toBe(200);
    expect(body).toMatchObject({ did: recipient.did, publicKey: recipient.publicKey });
    expect(Object.keys(body.wrappedKey).sort()).toEqual(['authTag', 'dataEncPublicKey', 'encryptedData', 'iv']);
    const privateKey = unwrap(body.wrappedKey, mine.privateKey);
    const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('hex');
    expect(`0x${spki}`).toBe(recipient.publicKey);
    expect((await decryptWith(privateKey, before)).toString()).toBe('for the holder');
    expect((await world.asHolder('POST', KEY, token, { devicePublicKey: device().hex })).status).toBe(410);
    const row = await world.gateway.app.connection.collection('holders').findOne({ did: recipient.did });
    expect(row?.sealedPrivateKey).toBeNull();
    expect((await world.initialize('hand@example.com')).body).toEqual({ ...recipient, status: 'existing' });
  });

  it('the hand-over happens once if two devices ask at once', async () => {
    await world.initialize('race@example.com');
    const token = await world.login('race@example.com');
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => world.asHolder('POST', KEY, token, { devicePublicKey: device().hex })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410]);
  });

  it('the hand-over is repeated for the same device for 30 days, however many ask at once, and for no other', async () => {
    await world.initialize('lost-answer@example.com');
    const token = await world.login('lost-answer@example.com');
    const mine = device();
    const ask = (devicePublicKey = mine.hex) => world.asHolder('POST', KEY, token, { devicePublicKey });
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => ask()));
    expect(first?.status).toBe(200);
    for (const other of others) expect([other.status, other.body]).toEqual([200, first?.body]);
    expect((await ask(mine.hex.slice(2).toUpperCase())).body).toEqual(first?.body);
    expect((await ask(device().hex)).status).toBe(410);
    unwrap(first?.body.wrappedKey, mine.privateKey);
    const day = 86_400_000;
    world.clock.now += 30 * day - 60_000;
    const later = await world.login('lost-answer@example.com');
    const repeat = () => world.asHolder('POST', KEY, later, { devicePublicKey: mine.hex });
    expect((await repeat()).body).toEqual(first?.body);
    world.clock.now += 60_000;
    expect((await repeat()).status).toBe(410);
  });

  it("the hand-over registers the device's own key for a holder without one", async () => {
    const token = await world.login('fresh@example.com');
    const mine = device();
    const { body } = await world.asHolder('POST', KEY, token, { devicePublicKey: mine.hex });
    expect(body).toEqual({ did: expect.any(String), publicKey: mine.hex, wrappedKey: null });
    expect((await world.initialize('fresh@example.com')).body).toMatchObject({
      publicKey: mine.hex,
      status: 'existing',
    });
    expect((await world.asHolder('POST', KEY, token, { devicePublicKey: mine.hex })).body).toEqual(body);
    expect((await world.asHolder('POST', KEY, token, { devicePublicKey: device().hex })).status).toBe(410);
  });

  it.each(['', '0x00', `0x302a300506032b656e032100${'00'.repeat(32)}`, 'not hex', 7])(
    'the hand-over refuses the device key %j',
    async (devicePublicKey) => {
      const token = await world.login(`bad-${randomUUID()}@example.com`);
      for (const path of [KEY, `${KEY}/rotate`]) {
        const answer = await world.asHolder('POST', path, token, { devicePublicKey });
        expect(answer.status).toBe(400);
        expect(answer.body.message).toContain('devicePublicKey');
      }
    },
  );
});

describe('a lost device', () => {
  it('a lost device is replaced: later credentials are for the new key, and the DID stays', async () => {
    const { body: recipient } = await world.initialize('lost@example.com');
    const token = await world.login('lost@example.com');
    await world.asHolder('POST', KEY, token, { devicePublicKey: device().hex });
    const next = device();
    const rotated = await world.asHolder('POST', `${KEY}/rotate`, token, { devicePublicKey: next.hex });
    expect(rotated.body).toEqual({ did: recipient.did, publicKey: next.hex, wrappedKey: null });
    expect((await world.initialize('lost@example.com')).body.publicKey).toBe(next.hex);
    const { body: document } = await world.gateway.rest('GET', `/v1/dids/${recipient.did}`);
    expect(document.keyAgreement).toHaveLength(1);
    expect((await world.asHolder('POST', KEY, token, { devicePublicKey: next.hex })).status).toBe(410);
  });
});

describe('consent', () => {
  it('consent is stored for each partner, and can be changed', async () => {
    const token = await world.login('consent@example.com');
    const { holders } = world.gateway.app.services;
    const { body: me } = await world.asHolder('GET', '/v1/holders/me', token);
    const put = (partnerId: string, consent: unknown) =>
      world.asHolder('PUT', `/v1/holders/me/partners/${partnerId}`, token, { consent });
    expect(await holders.consentOf(me.user.id, world.partnerId)).toBeUndefined();
    expect((await put(world.partnerId, 'declined')).body).toEqual({ partnerId: world.partnerId, consent: 'declined' });
    expect(await holders.consentOf(me.user.id, world.partnerId)).toBe('declined');
    await put(world.partnerId, 'accepted');
    expect(await holders.consentOf(me.user.id, world.partnerId)).toBe('accepted');
    expect((await put(world.partnerId, 'maybe')).status).toBe(400);
    expect((await put(randomUUID(), 'accepted')).status).toBe(404);
  });
});

describe('the signing key', () => {
  const PATH = '/v1/holders/me/signing-key';
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = pair.publicKey.export({ format: 'jwk' });

  it('the signing key is registered and replaced, by REST and GraphQL', async () => {
    const token = await world.login('signer@example.com');
    expect(await world.asHolder('PUT', PATH, token, { jwk: { ...jwk, kid: 'a', use: 'sig' } })).toMatchObject({
      status: 200,
      body: { jwk },
    });
    const next = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
    const { data } = await world.gateway.gql(
      'mutation ($jwk: JSON!) { setSigningKey(input: { jwk: $jwk }) { jwk } }',
      { jwk: next },
      { authorization: `Bearer ${token}` },
    );
    expect(data.setSigningKey.jwk).toEqual(next);
    const row = await world.gateway.app.connection.collection('holders').findOne({ 'signingKey.x': next.x });
    expect(row?.signingKey).toEqual(next);
  });

  it.each([
    ['its private half', pair.privateKey.export({ format: 'jwk' }), /private member "d"/],
    ['another curve', { ...jwk, crv: 'P-384' }, /P-256/],
    ['a point beside the curve', { ...jwk, y: jwk.x }, /P-256/],
    ['no key', {}, /P-256/],
    ['a text', 'key', /"jwk"/],
  ])('the signing key cannot be %s', async (_, value, says) => {
    const token = await world.login(`bad-${randomUUID()}@example.com`);
    const { status, body } = await world.asHolder('PUT', PATH, token, { jwk: value });
    expect([status, body.message]).toEqual([400, expect.stringMatching(says)]);
  });

  it('the signing key is for holders', async () => {
    expect((await world.gateway.rest('PUT', PATH, { body: { jwk } })).status).toBe(401);
    const { errors } = await world.gateway.gql('mutation { setSigningKey(input: { jwk: {} }) { jwk } }');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});

// What becomes of a wallet's answer: every row of contract §36's table, each by a real presentation.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../../openid4vci/wallet.js';
import type { Held } from '../../openid4vp/wallet.js';
import { type Changes, PresentingWallet } from '../../openid4vp/wallet.js';
import { recordOf } from '../world.js';
import { type ForeignWorld, startForeignWorld } from './foreign-world.js';
import { SUBJECT } from './world.js';

type Wallet = Awaited<ReturnType<ForeignWorld['walletWith']>>;
let world: ForeignWorld;
let wallet: Wallet;
/** A time at which the gateway's clock stands. */
let standing: number | undefined;
beforeAll(async () => {
  world = await startForeignWorld({ clock: () => standing ?? Date.now() });
  await world.program('identity-program', { identity: ['birthdate <= today - 18 years'] });
  await world.program('named', { identity: ['given_name = "Ada Canary"'] });
  wallet = await world.walletWith();
});
afterAll(async () => {
  await world?.foreign.close();
  await world?.gateway.close();
});

const IDENTITY = { programId: 'identity-program' };
const start = async (more: object = {}): Promise<{ id: string; uri: string }> => {
  const { status, body } = await world.start(more);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { id: body.verificationId, uri: body.wallet.uri };
};
const closedAs = (status: string, reason: string | null = null) => ({ state: 'closed', result: { status }, reason });
const NO_PROOF = closedAs('Non-Compliant', 'proof');

describe('A wallet that says no', () => {
  it.each([
    ['access_denied', 'declined'],
    ['invalid_request', 'wallet'],
    ['vp_formats_not_supported', 'wallet'],
  ])('with %s, encrypted or not: Non-Compliant, %s', async (error, reason) => {
    for (const isEncrypted of [true, false]) {
      const { id, uri } = await start();
      const { request } = await wallet.fetch(uri);
      const { state } = request;
      const body = isEncrypted ? { response: await wallet.encrypt({ error, state }, request) } : { error, state };
      expect(await wallet.post(request, body as never)).toMatchObject({ status: 200, body: {} });
      expect(await recordOf(world, id)).toMatchObject(closedAs('Non-Compliant', reason));
    }
  });
});

describe('A presentation that does not prove that it is the holder’s', () => {
  const present = async (changes: Changes, held: Held = wallet.held[0] as Held, audience?: string) => {
    const { id, uri } = await start();
    const { request } = await wallet.fetch(uri);
    const text = await wallet.present(request, held, ['level'], changes, audience);
    expect((await wallet.respond(request, { c0: [text] })).status).toBe(200);
    return recordOf(world, id);
  };
  const ago = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds;
  const twice = (chosen: string[]) => [...chosen, ...chosen];
  const invented = Buffer.from(JSON.stringify(['salt', 'role', 'king'])).toString('base64url');

  it.each<[string, Changes]>([
    ['another nonce', { payload: { nonce: 'other' } }],
    ['another audience', { payload: { aud: 'x509_hash:other' } }],
    ['two audiences', { payload: { aud: ['x509_hash:other', 'x509_hash:more'] } }],
    ['another hash of what it signs', { payload: { sd_hash: 'other' } }],
    ['no hash', { payload: { sd_hash: undefined } }],
    ['a time before', { payload: { iat: ago(310) } }],
    ['a time to come', { payload: { iat: ago(-4_000) } }],
    ['no time', { payload: { iat: undefined } }],
    ['an end that is over', { payload: { exp: ago(3_600) } }],
    ['a begin to come', { payload: { nbf: ago(-3_600) } }],
    ['another type', { header: { typ: 'JWT' } }],
    ['no key binding', { after: (text) => text.slice(0, text.lastIndexOf('~') + 1) }],
    ['a disclosure of its own', { disclosures: (chosen) => [...chosen, invented] }],
    ['a disclosure twice', { disclosures: twice }],
    ['a disclosure more than it signs', { after: (text) => text.replace('~', `~${invented}~`) }],
    ['a disclosure less than it signs', { after: (text) => text.replace(/~[^~]+/, '') }],
    ['another issuer’s signature', { after: (text) => text.replace(/\.[^.~]+~/, `.${'A'.repeat(86)}~`) }],
    ['no form', { after: () => 'what?' }],
  ])('%s', async (_what, changes) => {
    expect(await present(changes)).toMatchObject({ ...NO_PROOF, credentialId: null, nullifier: null, disclosed: [] });
  });

  it('another key than the credential’s', async () => {
    expect(await present({ key: await newKey() })).toMatchObject(NO_PROOF);
  });

  it('another type of credential', async () => {
    const held = await world.foreign.issue({ claims: { level: 3 } });
    expect(await present({}, held)).toMatchObject(NO_PROOF);
  });

  it('the credential of another than the named holder', async () => {
    const { userId } = (await world.partner.rest('POST', '/v1/auth/initialize-user', { email: 'bob@example.org' }))
      .body;
    const { id, uri } = await start({ userId });
    await wallet.answer(uri);
    expect(await recordOf(world, id)).toMatchObject(NO_PROOF);
    const bob = await world.walletWith(SUBJECT, 'bob@example.org');
    const again = await start({ userId });
    await bob.answer(again.uri);
    expect(await recordOf(world, again.id)).toMatchObject({ state: 'proved' });
  });
});

describe('A credential of ours', () => {
  it('that was revoked: Revoked', async () => {
    const revoked = await world.walletWith(SUBJECT, 'revoked@example.org');
    const { coreClaimHash } = revoked;
    await world.partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash });
    const { id, uri } = await start();
    await revoked.answer(uri);
    expect(await recordOf(world, id)).toMatchObject({ ...closedAs('Revoked'), credentialId: 'member' });
  });

  it('that has expired: Expired', async () => {
    const expired = await world.walletWith(SUBJECT, 'expired@example.org');
    await world.gateway.app.connection
      .collection('issuances')
      .updateOne({ coreClaimHash: expired.coreClaimHash }, { $set: { expiresAt: new Date(Date.now() - 1_000) } });
    const { id, uri } = await start();
    await expired.answer(uri);
    expect(await recordOf(world, id)).toMatchObject(closedAs('Expired'));
  });

  it('whose wallet ignores the values that are asked for, or discloses less: conditions', async () => {
    const other = await world.walletWith({ ...SUBJECT, level: 4 }, 'four@example.org');
    for (const paths of [['level'], ['note']]) {
      const { id, uri } = await start();
      const { request } = await other.fetch(uri);
      const text = await other.present(request, other.held[0] as Held, paths);
      await other.respond(request, { c0: [text] });
      const record = await recordOf(world, id);
      expect(record).toMatchObject({ ...closedAs('Non-Compliant', 'conditions'), disclosed: paths });
    }
  });

  it('that meets the conditions: proved, with what it disclosed in the record', async () => {
    const { id, uri } = await start();
    const { request } = await wallet.fetch(uri);
    const text = await wallet.present(request, wallet.held[0] as Held, ['level', 'note']);
    await wallet.respond(request, { c0: [text] });
    expect(await recordOf(world, id)).toMatchObject({ state: 'proved', disclosed: ['level', 'note'], via: 'wallet' });
  });
});

describe('A credential of another issuer', () => {
  const AGE = { claims: { age_over_18: true } };
  const answer = async (held: Held) => {
    const { id, uri } = await start(IDENTITY);
    await new PresentingWallet([held], world.own).answer(uri);
    return recordOf(world, id);
  };
  const withStatus = (idx: number, status: number, more: object = {}) => {
    world.foreign.statuses.set(idx, status);
    return world.foreign.issue({ ...AGE, payload: { status: world.foreign.statusAt(idx, `/list-${idx}`), ...more } });
  };

  it('that is valid, with a status or without: proved', async () => {
    const good = { state: 'proved', credentialId: 'identity', disclosed: ['age_over_18'], nullifier: null };
    expect(await answer(await withStatus(0, 0))).toMatchObject(good);
    expect(await answer(await world.foreign.issue(AGE))).toMatchObject(good);
  });

  it.each([
    [1, 0, closedAs('Revoked')],
    [1, -40, closedAs('Revoked')],
    [0, -40, closedAs('Expired')],
    [2, -40, closedAs('Expired')],
    [2, 600, closedAs('Non-Compliant', 'suspended')],
    [3, 600, closedAs('Non-Compliant', 'suspended')],
  ])('of status %i that expires in %i s', async (status, expires, expected) => {
    const exp = expires === 0 ? {} : { exp: Math.floor(Date.now() / 1_000) + expires };
    expect(await answer(await withStatus(10 + status + Math.abs(expires), status, exp))).toMatchObject(expected);
  });

  it('whose status is said in a way that is not known here: status', async () => {
    const held = await world.foreign.issue({ ...AGE, payload: { status: { other_list: { uri: 'x' } } } });
    expect(await answer(held)).toMatchObject(closedAs('Non-Compliant', 'status'));
  });

  it('whose status says nothing: status', async () => {
    const held = await world.foreign.issue({ ...AGE, payload: { status: {} } });
    expect(await answer(held)).toMatchObject(closedAs('Non-Compliant', 'status'));
  });

  it.each([
    ['is valid in 20 seconds, by our clock', (now: number) => ({ nbf: now + 20 })],
    ['was made in 20 seconds, by our clock', (now: number) => ({ iat: now + 20 })],
    ['expired 20 seconds ago, by our clock', (now: number) => ({ exp: now - 20 })],
    ['has hashes by SHA-384', () => ({ _sd_alg: 'sha-384' })],
    ['has hashes by SHA-512', () => ({ _sd_alg: 'sha-512' })],
  ])('that %s: proved', async (_what, payloadAt) => {
    standing = Date.now();
    const payload = payloadAt(Math.floor(standing / 1_000));
    expect(await answer(await world.foreign.issue({ ...AGE, payload }))).toMatchObject({ state: 'proved' });
    standing = undefined;
  });

  it('that was made a year ahead: proof', async () => {
    expect(
      await answer(
        await world.foreign.issue({ ...AGE, payload: { iat: Math.floor(Date.now() / 1_000) + 31_536_000 } }),
      ),
    ).toMatchObject(NO_PROOF);
  });

  it('that is not valid yet, or of another signature: proof', async () => {
    const nbf = Math.floor(Date.now() / 1_000) + 600;
    expect(await answer(await world.foreign.issue({ ...AGE, payload: { nbf } }))).toMatchObject(NO_PROOF);
    expect(await answer(await world.foreign.issue({ ...AGE, key: await newKey() }))).toMatchObject(NO_PROOF);
  });

  it('whose claim says that the condition does not hold: conditions', async () => {
    const { id, uri } = await start(IDENTITY);
    const held = await world.foreign.issue({ claims: { age_over_18: false } });
    const young = new PresentingWallet([held], world.own);
    const { request } = await young.fetch(uri);
    await young.respond(request, { c0: [await young.present(request, held, ['age_over_18'])] });
    expect(await recordOf(world, id)).toMatchObject(closedAs('Non-Compliant', 'conditions'));
  });
});

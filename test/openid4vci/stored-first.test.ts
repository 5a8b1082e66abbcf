// Offers are stored before anything is sent, and no offer of an erased holder is left, whichever comes first. The steps between are made at chosen
// moments: before commands of the transactions that write offers.
import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type Membership, startMembership } from '../support/membership.js';
import { newKey, TestWallet } from './wallet.js';

const PUBLIC = 'http://wallets.localhost:4000';
let world: Membership;
let wallet: TestWallet;
let connection: Connection;
const own = (url: string): string => url.replace(PUBLIC, world.gateway.url);
beforeAll(async () => {
  world = await startMembership({ env: { PUBLIC_URL: PUBLIC } });
  wallet = new TestWallet(`${PUBLIC}/oid4vci/club`, own);
  connection = world.gateway.app.connection;
});
afterAll(() => world?.gateway.close());

let people = 0;
const newEmail = (): string => `cy.${++people}@example.org`;
const send = async (email: string, more: object = {}, key?: string) => {
  const auth = { 'x-partner-auth': await world.token({ scope: 'issue' }) };
  const headers: Record<string, string> = { ...auth, ...(key === undefined ? {} : { 'idempotency-key': key }) };
  const subject = { credentialSubject: { level: 7, since: '2024-01-01' } };
  const body = { issuerDid: world.issuerDid, credentialId: 'member', ...subject, email, ...more };
  return world.gateway.rest('POST', '/v1/offers', { body, headers });
};
const mails = async (email: string): Promise<{ code: string }[]> =>
  (await world.gateway.admin('GET', `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`)).body.messages;
const rows = (name: string) => connection.collection(name);
const offerAt = async (uri: string) => (await TestWallet.offerAt(uri, own)).body;

/** Does something once before the next such command for offers. */
function beforeNext(method: 'create' | 'updateOne' | 'deleteMany', step: () => Promise<unknown>): void {
  const model = connection.model('Offer') as unknown as Record<string, (...all: unknown[]) => unknown>;
  const real = model[method] as (...all: unknown[]) => unknown;
  model[method] = async (...all) => {
    model[method] = real;
    await step();
    return real.apply(model, all);
  };
}

/** Erases a holder, until the first pass over its rows has ended. */
async function erase(userId: string): Promise<void> {
  const { status, body } = await world.gateway.admin('POST', '/v1/admin/holders/erase', { body: { userId } });
  expect(status).toBe(202);
  await eventually(async () => {
    const { body: erasure } = await world.gateway.admin('GET', `/v1/admin/erasures/${body.erasureId}`);
    expect(erasure.state).not.toBe('erasing');
  });
}

describe('The mail with a transaction code', () => {
  it('is not sent if the offer is not stored', async () => {
    const email = newEmail();
    expect((await send(email, { txCode: 'none', expiresIn: 600 })).status).toBe(201);
    beforeNext('create', () => Promise.reject(new Error('the store is gone')));
    expect((await send(email)).status).toBe(500);
    expect(await mails(email)).toEqual([]);
    expect((await send(email)).status).toBe(201);
    expect(await mails(email)).toHaveLength(1);
  });

  it('is sent again with another code if the request is repeated: the response, or the mail, may be lost', async () => {
    const [email, key] = [newEmail(), randomUUID()];
    await send(email, {}, key);
    const { status, body } = await send(email, {}, key);
    expect({ status, body }).toMatchObject({ status: 201, body: { txCode: null } });
    const codes = (await mails(email)).map(({ code }) => code);
    expect(codes).toHaveLength(2);
    const offer = await offerAt(body.offerUri);
    if (codes[0] !== codes[1]) expect((await wallet.tokenFor(offer, codes[0] ?? '')).body.error).toBe('invalid_grant');
    expect((await wallet.take(offer, { txCode: codes[1] ?? '' })).answer.status).toBe(200);
  });
});

describe('A holder that is erased', () => {
  it.each(['mail', 'partner'])('while an offer is made gets none, and no code (%s)', async (txCode) => {
    const email = newEmail();
    const { body: first } = await send(email, { txCode: 'none', expiresIn: 600 });
    const before = (await mails(email)).length;
    beforeNext('create', () => erase(first.userUuid));
    expect((await send(email, { txCode })).status).toBe(404);
    expect(await rows('offers').countDocuments({ holderId: first.userUuid })).toBe(0);
    expect(await mails(email)).toHaveLength(before);
    expect((await TestWallet.offerAt(first.offerUri, own)).status).toBe(404);
    // Whoever has the address later is another holder.
    const { body: later } = await send(email, { txCode });
    expect(later.userUuid).not.toBe(first.userUuid);
  });

  it('while an offer is repeated gets no address of it', async () => {
    const [email, key] = [newEmail(), randomUUID()];
    const { body: first } = await send(email, { txCode: 'partner' }, key);
    beforeNext('updateOne', () => erase(first.userUuid));
    expect((await send(email, { txCode: 'partner' }, key)).status).toBe(404);
    expect(await rows('offers').countDocuments({ holderId: first.userUuid })).toBe(0);
  });

  it('after an offer was made has none, and its wallet no token', async () => {
    const { body } = await send(newEmail(), { txCode: 'partner' });
    const offer = await offerAt(body.offerUri);
    const dpop = await newKey();
    const { token } = await wallet.take(offer, { txCode: body.txCode, dpop });
    await erase(body.userUuid);
    expect(await rows('offers').countDocuments({ holderId: body.userUuid })).toBe(0);
    expect(await rows('walletTokens').countDocuments({ offerId: body.offerId })).toBe(0);
    const refresh = { grant_type: 'refresh_token', refresh_token: token.refresh_token };
    expect((await wallet.token(refresh, dpop)).body.error).toBe('invalid_grant');
  });

  it('while its wallet gets a token keeps none', async () => {
    const { body } = await send(newEmail(), { txCode: 'partner' });
    const offer = await offerAt(body.offerUri);
    beforeNext('updateOne', () => erase(body.userUuid));
    expect((await wallet.tokenFor(offer, body.txCode, await newKey())).body.error).toBe('invalid_grant');
    expect(await rows('walletTokens').countDocuments({ offerId: body.offerId })).toBe(0);
  });

  it('whose wallet asks for a token between the steps of the erasure leaves none', async () => {
    const { body } = await send(newEmail(), { txCode: 'partner' });
    const offer = await offerAt(body.offerUri);
    let token: { status: number } | undefined;
    beforeNext('deleteMany', async () => {
      token = await wallet.tokenFor(offer, body.txCode);
    });
    await erase(body.userUuid);
    expect(token).toBeDefined();
    expect(await rows('offers').countDocuments({ holderId: body.userUuid })).toBe(0);
    expect(await rows('walletTokens').countDocuments({ offerId: body.offerId })).toBe(0);
  });
});

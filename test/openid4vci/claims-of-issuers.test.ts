// Claims that issuers state with the credentials that they sign for wallets (contract §35): they count as issuances, and nothing of them is stored.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { logIn } from '../support/partner.js';
import { selfSigningIssuer } from '../support/self-signing-issuer.js';
import { CLIENT_ID } from './authorizing.js';
import { errorOf } from './authorizing-world.js';
import { claimsWorld, newClaim, somebody } from './claims-world.js';
import { type Answer, newKey } from './wallet.js';
import { OFFICE } from './without-offer-world.js';

const here = await claimsWorld();
const { gateway, world, rows, tokenFor, ask, states, issuanceOf, eventsOf, statusOf, holderId, put } = here;
afterAll(() => here.close());
beforeEach(() => here.calm());

describe('A claim that an issuer states with its credentials', () => {
  it('is an issuance without a package: it has a status, an event, and counts', async () => {
    const [claim, exp] = [newClaim(), Math.floor(Date.now() / 1_000) + 86_400];
    states(claim, { exp });
    const { status, body } = await ask(await tokenFor());
    expect([status, body.credentials.length]).toEqual([200, 2]);
    expect(await issuanceOf(claim)).toMatchObject({
      ...{ storedId: null, direct: true, live: true, schemaVersion: 1, holderId: holderId() },
      ...{ partnerId: world.partner.partnerId, expiresAt: new Date(exp * 1_000), toAnchor: expect.any(Date) },
    });
    expect(await statusOf(claim)).toMatchObject({ vcStatus: 'WAIT_ONCHAIN', vcDstorageId: null, issuerDid: OFFICE });
    const document = `{ credentialStatus(coreClaimHash: "${claim.coreClaimHash}") { vcDstorageId expirationDate } }`;
    expect((await gateway.gql(document)).data.credentialStatus).toEqual({
      vcDstorageId: null,
      expirationDate: new Date(exp * 1_000).toISOString(),
    });
    expect(await eventsOf(claim)).toEqual(['submitted']);
    const { length } = await rows('issuances').find({ credentialId: 'identity' }).toArray();
    const counts = async () => (await gateway.rest('GET', '/v1/catalog/credentials/identity')).body.data.traction;
    await eventually(async () => expect(await counts()).toMatchObject({ issuanceCount: length, holderCount: length }));
    const history = await gateway.admin('GET', '/v1/admin/issuance-history?order=createdAt_desc&limit=1');
    expect(history.body.data).toMatchObject([{ type: 'DIRECT', revocationNonce: claim.revocationNonce }]);
    expect(await rows('storedCredentials').countDocuments({ holderId: holderId() })).toBe(0);
    const audited = await rows('auditEntries').findOne({ subject: claim.coreClaimHash });
    expect(audited).toMatchObject({ operation: 'issuance.issue', outcome: 'issued' });
  });

  it('expires with the last of its credentials; never, if one never does', async () => {
    const soon = Math.floor(Date.now() / 1_000) + 3_600;
    for (const [exps, last] of [
      [[soon, soon + 60], soon + 60],
      [[soon, undefined], null],
      [[soon, 1e300], null],
    ] as const) {
      const claim = newClaim();
      world.backEnd.answer = async ({ body }) => {
        const all = body.keys.map((jwk: object, at: number) =>
          world.foreign.issue({ payload: { cnf: { jwk }, ...(exps[at] === undefined ? {} : { exp: exps[at] }) } }),
        );
        return [200, { claim, credentials: (await Promise.all(all)).map(({ credential }) => credential) }];
      };
      expect((await ask(await tokenFor())).status).toBe(200);
      expect((await issuanceOf(claim))?.expiresAt).toEqual(last === null ? null : new Date(last * 1_000));
    }
  });

  it.each([
    ['asks again', 1, false],
    ['asks twice at once', 1, true],
    ['comes from another device', 2, false],
    ['comes from two devices at once', 2, true],
  ] as const)('is one issuance for a wallet that %s', async (_name, devices, isAtOnce) => {
    const [claim, email] = [newClaim(), somebody()];
    states(claim);
    const first = await tokenFor(email);
    const tokens = [first, devices === 1 ? first : await tokenFor(email)];
    const asked: Answer[] = [];
    if (isAtOnce) asked.push(...(await Promise.all(tokens.map((token) => ask(token)))));
    else for (const token of tokens) asked.push(await ask(token));
    expect(asked.map(({ status }) => status)).toEqual([200, 200]);
    expect(await rows('issuances').countDocuments({ holderId: holderId() })).toBe(1);
    expect(await eventsOf(claim)).toEqual(['submitted']);
    const { wallet } = world.at('office');
    for (const [at, token] of tokens.entries()) {
      const { notification_id: id } = asked[at]?.body ?? {};
      const notice = { notification_id: id, event: at === 0 ? 'credential_accepted' : 'credential_deleted' };
      expect((await wallet.notify(token.access_token, notice)).status).toBe(204);
    }
    expect(await eventsOf(claim)).toEqual(['submitted', 'wallet_notified', 'wallet_notified']);
  });

  it.each([
    ['one after the other', false],
    ['at once', true],
  ])('is replaced by another claim for the same holder, %s: one is live', async (_name, isAtOnce) => {
    const claims = [newClaim(), newClaim()];
    let times = 0;
    world.backEnd.answer = async (question) => {
      world.officeGives({}, { claim: claims[times++] });
      const given = world.backEnd.answer;
      world.backEnd.answer = mine;
      return given(question);
    };
    const mine = world.backEnd.answer;
    const token = await tokenFor();
    const asked = isAtOnce ? await Promise.all([ask(token), ask(token)]) : [await ask(token), await ask(token)];
    expect(asked.map(({ status }) => status)).toEqual([200, 200]);
    const found = await Promise.all(claims.map(issuanceOf));
    expect(found.filter((row) => row?.live === true)).toHaveLength(1);
    expect(found.filter((row) => row?.revokedAt instanceof Date)).toHaveLength(1);
    const [request] = await rows('requestedCredentials').find({ holderId: holderId() }).toArray();
    expect(request?.coreClaimHash).toBe(found.find((row) => row?.live)?.coreClaimHash);
  });

  it('stays good for the wallet that repeats its request after the window has closed', async () => {
    const claim = newClaim();
    states(claim);
    const token = await tokenFor();
    expect((await ask(token)).status).toBe(200);
    const { body: record } = await gateway.admin('GET', '/v1/admin/credentials/identity');
    const { name, category, issuerId, schemaId, vct } = record;
    const identity = { name, category, issuerId, schemaId, vct };
    await put('credentials/identity', { ...identity, accessibleEnd: '2020-01-01T00:00:00Z' });
    expect((await ask(token)).status).toBe(200);
    states(newClaim());
    expect(errorOf(await ask(token))).toBe('400 credential_request_denied');
    await put('credentials/identity', identity);
  });

  it('that was revoked gives no more credentials, and its refresh token ends', async () => {
    const [claim, dpop] = [newClaim(), await newKey()];
    states(claim);
    const token = await tokenFor(somebody(), dpop);
    expect((await ask(token, { dpop })).status).toBe(200);
    const { coreClaimHash } = claim;
    expect((await world.partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash })).status).toBe(200);
    const refresh = { grant_type: 'refresh_token', refresh_token: token.refresh_token, client_id: CLIENT_ID };
    await eventually(async () => {
      const filter = { _id: (await rows('requestedCredentials').findOne({ coreClaimHash }))?._id };
      expect(await rows('walletTokens').countDocuments({ requestId: filter._id, kind: 'refresh' })).toBe(0);
    });
    expect(errorOf(await world.at('office').wallet.token(refresh, dpop))).toBe('400 invalid_grant');
    expect((await ask(token, { dpop })).body).toEqual({
      error: 'credential_request_denied',
      error_description: 'The claim was revoked or has expired.',
    });
  });

  it('is unlinked from an erased holder, and keeps its status', async () => {
    const claim = newClaim();
    states(claim);
    await ask(await tokenFor());
    const userId = holderId();
    await gateway.admin('POST', '/v1/admin/holders/erase', { body: { userId } });
    await eventually(async () => expect((await issuanceOf(claim))?.holderId).not.toBe(userId));
    expect(await statusOf(claim)).toMatchObject({ vcStatus: 'WAIT_ONCHAIN', vcDstorageId: null });
    await eventually(async () => expect(JSON.stringify(await rows('events').find().toArray())).not.toContain(userId));
  });

  it('is no candidate for proofs: the holder has no package here', async () => {
    const { zkKey } = await selfSigningIssuer(OFFICE);
    const { body: office } = await gateway.admin('GET', '/v1/admin/issuers/office');
    const { name, issuerFrom, issuerDid, credentialUrl, anchors } = office;
    await put('issuers/office', { name, issuerFrom, issuerDid, credentialUrl, anchors, zkKeys: [zkKey] });
    await put('verifiers/agency', { name: 'Agency', verifierDid: 'did:web:agency.example' });
    const accepted = { credentialId: 'identity', verificationConditions: ['given_name = "Ada"'] };
    await put('programs/named', {
      ...{ name: 'Named', description: 'Ada', verifierId: 'agency', acceptedCredentials: [accepted] },
      pricingModel: 'free',
    });
    const [claim, email] = [newClaim(), somebody()];
    states(claim);
    expect((await ask(await tokenFor(email))).status).toBe(200);
    const headers = { 'x-partner-auth': await world.partner.token({}, 'verify') };
    const started = await world.partner.rest('POST', '/v1/verifications', { programId: 'named' }, headers);
    expect(started).toMatchObject({ status: 201 });
    const session = { authorization: `Bearer ${await logIn(gateway, world.partner, email)}` };
    const path = `/v1/verifications/${started.body.verificationId}/request`;
    const { body: request } = await gateway.rest('GET', path, { headers: session });
    expect(request.candidates).toEqual([
      {
        ...{ credentialId: 'identity', coreClaimHash: claim.coreClaimHash, schemaVersion: 1, storagePath: null },
        ...{ vcStatus: 'WAIT_ONCHAIN', provable: false, why: 'package' },
      },
    ]);
    const plan = await gateway.rest('GET', '/v1/programs/named/plan', { headers: session });
    expect(plan.body.credentials).toMatchObject([{ credentialId: 'identity', state: 'UNPROVABLE' }]);
  });
});

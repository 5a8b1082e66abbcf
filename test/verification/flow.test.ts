// The flow of a verification without a chain (contract §14, §15): started by a partner, answered by a holder, in REST and GraphQL.
import { createHash } from 'node:crypto';
import { compactVerify, createRemoteJWKSet } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerTo,
  asVerifier,
  closedOf,
  type HeldCredential,
  type Holder,
  holderOf,
  issueTo,
  PROGRAM,
  proofFor,
  putProgram,
  recordOf,
  requestOf,
  SUBJECT,
  startOf,
  startWorld,
  type World,
} from './world.js';

let world: World;
let holder: Holder;
let credential: HeldCredential;
let ahead = 0;
const now = (): number => Date.now() + ahead;
beforeAll(async () => {
  world = await startWorld({ clock: now });
  holder = await holderOf(world, 'ada@example.org');
  credential = await issueTo(world, holder);
});
afterAll(() => world?.gateway.close());

const revoke = (coreClaimHash: string) => world.partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash });
const eventsOf = async (verificationId: string): Promise<{ type: string; status: string; reason: string | null }[]> => {
  const { body } = await world.partner.rest('GET', '/v1/events?limit=100');
  return body.items.filter((event: { verificationId?: string }) => event.verificationId === verificationId);
};

describe('A verification', () => {
  it('a verification is started, fetched, and Pending once it is proved, with an event for each step', async () => {
    const started = await asVerifier(world, 'POST', '/v1/verifications', { programId: PROGRAM });
    expect(started).toMatchObject({
      status: 201,
      body: { state: 'open', result: { status: 'Pending' }, reason: null, receipt: null, nullifier: null },
    });
    const { verificationId, programVersion, createdAt, expiresAt } = started.body;
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(600_000);
    const { body: request } = await requestOf(world, holder, verificationId);
    expect(request).toMatchObject({
      challenge: { verificationId, programVersion, programId: PROGRAM, partnerId: world.partnerId, now: createdAt },
      redirectUrl: null,
      program: { name: PROGRAM, verifierName: 'Agency', verifierDid: 'did:web:agency.example' },
      accepted: [
        {
          credentialId: 'member',
          conditions: [{ field: 'level', family: 'number', equals: 3 }],
          accumulators: [],
        },
      ],
      candidates: [
        { credentialId: 'member', coreClaimHash: credential.coreClaimHash, vcStatus: 'WAIT_ONCHAIN', provable: true },
      ],
    });
    const proof = await proofFor(world, holder, credential, verificationId);
    expect(await answerTo(world, holder, verificationId, proof)).toMatchObject({
      status: 200,
      body: { result: { status: 'Pending' } },
    });
    const record = await recordOf(world, verificationId);
    expect(record).toMatchObject({
      state: 'proved',
      result: { status: 'Pending' },
      reason: 'no_chain',
      credentialId: 'member',
      proofSha256: createHash('sha256').update(proof.presentation).digest('hex'),
      nullifier: expect.stringMatching(/^[0-9a-f]{64}$/),
      receipt: null,
    });
    await expect
      .poll(async () => (await eventsOf(verificationId)).map(({ type }) => type))
      .toEqual(['verification_started', 'verification_proved']);
    const own = await world.gateway.rest('GET', `/v1/verifications/${verificationId}`, { headers: holder.headers });
    expect(own.body).toEqual({ result: { status: 'Pending' }, reason: 'no_chain' });
  });

  it('a verification accepts one answer', async () => {
    const id = await startOf(world);
    const proof = await proofFor(world, holder, credential, id);
    const [one, two] = await Promise.all([answerTo(world, holder, id, proof), answerTo(world, holder, id, proof)]);
    expect([one.status, two.status].sort()).toEqual([200, 409]);
    expect((await answerTo(world, holder, id, proof)).status).toBe(409);
    expect((await requestOf(world, holder, id)).status).toBe(409);
  });

  it('a waiting verification ends Revoked when its claim is revoked, with a receipt that anyone can check', async () => {
    const own = await issueTo(world, holder);
    const id = await startOf(world);
    await answerTo(world, holder, id, await proofFor(world, holder, own, id));
    await revoke(own.coreClaimHash);
    const record = await closedOf(world, id);
    expect(record).toMatchObject({ state: 'closed', result: { status: 'Revoked' }, reason: null, current: null });
    const keys = createRemoteJWKSet(new URL(`${world.gateway.url}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await compactVerify(record.receipt, keys);
    expect(protectedHeader.typ).toBe('verification+jwt');
    const { receipt: _receipt, current: _current, anchor: _anchor, ...said } = record;
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(said);
    credential = await issueTo(world, holder);
  });

  it('a closed verification stores nothing that names the holder or the claim', async () => {
    const own = await issueTo(world, holder);
    const id = await startOf(world, { userId: holder.userId });
    await answerTo(world, holder, id, await proofFor(world, holder, own, id));
    await revoke(own.coreClaimHash);
    await closedOf(world, id);
    const row = await world.gateway.app.connection.collection('verifications').findOne({ _id: id as never });
    const text = JSON.stringify(row);
    for (const secret of [holder.userId, own.coreClaimHash]) expect(text).not.toContain(secret);
    expect(row).toMatchObject({ holderKey: expect.any(String), claimKey: expect.any(String) });
    expect(
      await world.gateway.app.connection.collection('verificationProofs').findOne({ _id: id as never }),
    ).toBeNull();
    credential = await issueTo(world, holder);
  });
});

describe('The source’s results', () => {
  it('a proof of something else is Non-Compliant, with the reason for the partner', async () => {
    const id = await startOf(world);
    const other = await startOf(world);
    const { presentation } = await proofFor(world, holder, credential, other);
    const proof = await proofFor(world, holder, credential, id);
    const { opening } = await proofFor(world, holder, credential, id);
    expect((await answerTo(world, holder, id, { ...proof, presentation })).status).toBe(400);
    expect((await answerTo(world, holder, id, { ...proof, opening })).body).toEqual({
      result: { status: 'Non-Compliant' },
    });
    expect(await recordOf(world, id)).toMatchObject({ state: 'closed', reason: 'proof', proofSha256: null });
    await expect
      .poll(async () => (await eventsOf(id)).at(-1))
      .toMatchObject({
        type: 'verification_closed',
        status: 'Non-Compliant',
        reason: 'proof',
      });
  });

  it('a declined verification is Non-Compliant', async () => {
    const id = await startOf(world);
    await requestOf(world, holder, id);
    const { body } = await answerTo(world, holder, id, { declined: true });
    expect(body).toEqual({ result: { status: 'Non-Compliant' } });
    expect((await recordOf(world, id)).reason).toBe('declined');
  });

  it("an answer without a proof ends as NotFound, Non-Compliant, Revoked or Expired, by the holder's claims", async () => {
    const cannot = async (who: Holder) => {
      const id = await startOf(world);
      await requestOf(world, who, id);
      const { body } = await answerTo(world, who, id, { cannot: true });
      return [body.result.status, (await recordOf(world, id)).reason];
    };
    const other = await holderOf(world, 'without@example.org');
    expect(await cannot(other)).toEqual(['NotFound', null]);
    const claim = await issueTo(world, other, { ...SUBJECT, level: 1 });
    expect(await cannot(other)).toEqual(['Non-Compliant', 'conditions']);
    await revoke(claim.coreClaimHash);
    expect(await cannot(other)).toEqual(['Revoked', null]);
    await issueTo(world, other, SUBJECT, { expiresAt: new Date(now() + 180_000).toISOString() });
    ahead += 180_000;
    expect(await cannot(other)).toEqual(['Expired', null]);
  });

  it('a proof of a claim that has ended is Revoked or Expired, and is not checked', async () => {
    const other = await holderOf(world, 'ended@example.org');
    const claim = await issueTo(world, other);
    const id = await startOf(world);
    const proof = await proofFor(world, other, claim, id);
    await revoke(claim.coreClaimHash);
    expect((await answerTo(world, other, id, proof)).body).toEqual({ result: { status: 'Revoked' } });
  });

  it('a second use of a program for one use per holder is Non-Compliant', async () => {
    await putProgram(world, 'once', ['level = 3'], { maxPerHolder: 1 });
    const results: unknown[] = [];
    for (const _ of [1, 2]) {
      const id = await startOf(world, { programId: 'once' });
      await answerTo(world, holder, id, await proofFor(world, holder, credential, id));
      const { result, reason } = await recordOf(world, id);
      results.push([result.status, reason]);
    }
    expect(results).toEqual([
      ['Pending', 'no_chain'],
      ['Non-Compliant', 'repeat'],
    ]);
  });
});

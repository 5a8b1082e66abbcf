// A prover that cheats, over the flow: proofs of others, of other programs, keys, claims and moments; bytes that are no proof. None is accepted,
// and what is refused with an error spends nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  decodePresentation,
  encodePresentation,
  fromBase64url,
  type Presentation,
  toBase64url,
} from '../../../src/zk/index.js';
import { logIn, registerPartner, type TestPartner } from '../../support/partner.js';
import {
  answerTo,
  asVerifier,
  type HeldCredential,
  type Holder,
  holderOf,
  issueTo,
  type Proof,
  proofFor,
  proofOf,
  putProgram,
  recordOf,
  requestOf,
  SUBJECT,
  startOf,
  startWorld,
  suite,
  termsOf,
  type World,
} from '../world.js';

let world: World;
let other: TestPartner;
let holder: Holder;
let credential: HeldCredential;
beforeAll(async () => {
  world = await startWorld();
  other = await registerPartner(world.gateway, [world.issuerDid]);
  holder = await holderOf(world, 'cheat@example.org');
  credential = await issueTo(world, holder);
  await putProgram(world, 'level-four', ['level = 4']);
  await putProgram(world, 'notes', ['note in ["silver", "bronze"]']);
});
afterAll(() => world?.gateway.close());

const rewritten = (proof: Proof, change: Partial<Presentation>): Proof => ({
  ...proof,
  presentation: encodePresentation({ ...decodePresentation(proof.presentation), ...change }),
});
const bytesOf = (proof: Proof): Uint8Array => fromBase64url(decodePresentation(proof.presentation).proof) as Uint8Array;
const withProof = (proof: Proof, bytes: Uint8Array): Proof => rewritten(proof, { proof: toBase64url(bytes) });

/** What the gateway makes of a verification whose answer was changed. */
async function cheat(change: (proof: Proof, id: string) => Proof | Promise<Proof>, who = holder, claim = credential) {
  const id = await startOf(world);
  const proof = await proofFor(world, who, claim, id);
  const { status, body } = await answerTo(world, who, id, await change(proof, id));
  const record = await recordOf(world, id);
  return { id, proof, status, body, record };
}

/** Refused: nothing is spent, and the honest answer is taken. */
async function expectRefused(
  status: number,
  change: (proof: Proof, id: string) => Proof | Promise<Proof>,
): Promise<void> {
  const refused = await cheat(change);
  expect(refused).toMatchObject({ status, record: { state: 'open' } });
  expect((await answerTo(world, holder, refused.id, refused.proof)).body).toEqual({ result: { status: 'Pending' } });
}

const expectInvalid = async (change: (proof: Proof, id: string) => Proof | Promise<Proof>): Promise<void> => {
  const { status, record } = await cheat(change);
  expect({ status, state: record.state, result: record.result, reason: record.reason }).toEqual({
    status: 200,
    state: 'closed',
    result: { status: 'Non-Compliant' },
    reason: 'proof',
  });
};

describe('A proof of another challenge', () => {
  it.each<Partial<Presentation>>([
    { verificationId: '00000000-0000-4000-8000-000000000000' },
    { nonce: toBase64url(new Uint8Array(32).fill(2)) },
    { now: '2024-03-01T00:00:00.000Z' },
    { partnerId: '00000000-0000-4000-8000-000000000000' },
    { programId: 'level-four' },
    { programVersion: 'ef'.repeat(32) },
  ])('a proof of another challenge (%o) is refused', (change) =>
    expectRefused(400, (proof) => rewritten(proof, change)),
  );

  it('a proof of another challenge, relabelled as the requested one, is not accepted', async () => {
    const before = await startOf(world);
    const earlier = decodePresentation((await proofFor(world, holder, credential, before)).presentation);
    await expectInvalid((proof) => {
      const { verificationId, nonce, now } = decodePresentation(proof.presentation);
      const opening = proof.opening;
      return { ...proof, opening, presentation: encodePresentation({ ...earlier, verificationId, nonce, now }) };
    });
  });
});

describe('A proof of something else', () => {
  it('a proof of other conditions is not accepted', () =>
    expectInvalid(async (_proof, id) => {
      const { body } = await requestOf(world, holder, id);
      return proofOf({ ...(await termsOf(world, body, credential)), conditions: [] }, credential);
    }));

  it("a proof of other conditions, of a claim that does not meet the program's, is not accepted", async () => {
    const low = await holderOf(world, 'low@example.org');
    const claim = await issueTo(world, low, { ...SUBJECT, level: 2 });
    const id = await startOf(world);
    const { body } = await requestOf(world, low, id);
    const terms = await termsOf(world, body, claim);
    const conditions = [{ field: 'level', family: 'number' as const, equals: 2 }];
    const { body: answer } = await answerTo(world, low, id, await proofOf({ ...terms, conditions }, claim));
    expect(answer).toEqual({ result: { status: 'Non-Compliant' } });
  });

  it('a proof of membership in the prover’s own list, with its witnesses, is not accepted', async () => {
    const id = await startOf(world, { programId: 'notes' });
    const { body } = await requestOf(world, holder, id);
    expect(body.accepted[0].accumulators).toHaveLength(1);
    const terms = await termsOf(world, body, credential);
    const conditions = [{ field: 'note', family: 'text' as const, in: ['bronze', 'gold'] }];
    const accumulators = suite.accumulators(conditions);
    const forged = await proofOf({ ...terms, conditions, accumulators }, credential);
    expect((await answerTo(world, holder, id, forged)).body).toEqual({ result: { status: 'Non-Compliant' } });
  });

  it('a proof of a value outside the list is not accepted, and one of a member is', async () => {
    const silver = await holderOf(world, 'silver@example.org');
    const claim = await issueTo(world, silver, { ...SUBJECT, note: 'silver' });
    const id = await startOf(world, { programId: 'notes' });
    const proof = await proofFor(world, silver, claim, id);
    expect((await answerTo(world, silver, id, proof)).body).toEqual({ result: { status: 'Pending' } });
  });

  it.each<Partial<Presentation>>([
    { schemaVersion: 2 },
    { schemaId: 'https://schemas.example/other.json' },
    { kid: 'another' },
    { sides: [['level', 'above']] },
    { commitment: toBase64url(new Uint8Array(48)) },
  ])('a proof of something else (%o) is not accepted', (change) => expectInvalid((proof) => rewritten(proof, change)));

  it('a proof of a credential that the program does not accept is refused', () =>
    expectRefused(400, (proof) => rewritten(proof, { credentialId: 'other' })));

  it('a proof that is opened with another number is not accepted', () =>
    expectInvalid((proof) => ({ ...proof, opening: toBase64url(new Uint8Array(32).fill(1)) })));
});

describe('Bytes', () => {
  it.each<[string, (proof: Proof) => Proof]>([
    ['none', (proof) => ({ ...proof, presentation: 'A' })],
    ['of JSON that is no presentation', (proof) => ({ ...proof, presentation: toBase64url(Buffer.from('{"v":1}')) })],
    ['with a second spelling', (proof) => ({ ...proof, presentation: `${proof.presentation}=` })],
    ['without a proof', (proof) => rewritten(proof, { proof: '' })],
    ['with a number that is no opening', (proof) => ({ ...proof, opening: 'AA' })],
  ])('a presentation is refused: %s', (_name, change) => expectRefused(400, change));

  it('a presentation of 100 KB or 1 MB is refused as too large', async () => {
    await expectRefused(413, (proof) => ({ ...proof, presentation: 'A'.repeat(100_000) }));
    await expectRefused(413, (proof) => ({ ...proof, presentation: 'A'.repeat(1_000_000) }));
  });

  it.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ['cut', (bytes) => bytes.subarray(0, bytes.length - 1)],
    ['more', (bytes) => new Uint8Array([...bytes, 0])],
    ['flipped', (bytes) => bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte))],
    ['with a huge length inside', (bytes) => bytes.map((byte, at) => (at < 8 ? 0xff : byte))],
  ])('a presentation is not accepted: %s', (_name, change) =>
    expectInvalid((proof) => withProof(proof, change(bytesOf(proof)))),
  );
});

describe('Others', () => {
  let rival: Holder;
  let theirs: HeldCredential;
  beforeAll(async () => {
    rival = await holderOf(world, 'rival@example.org');
    theirs = await issueTo(world, rival);
  });

  it('other partners, their holders, a second holder and the wrong holder do not see a verification', async () => {
    const id = await startOf(world);
    const named = await startOf(world, { userId: holder.userId });
    const session = await logIn(world.gateway, other, holder.email);
    const throughOther = { ...holder, headers: { authorization: `Bearer ${session}` } };
    for (const which of [id, named]) {
      expect((await requestOf(world, throughOther, which)).status).toBe(404);
      expect((await answerTo(world, throughOther, which, { declined: true })).status).toBe(404);
      const read = await other.rest('GET', `/v1/verifications/${which}`);
      expect(read.status).toBe(404);
    }
    expect((await requestOf(world, holder, id)).status).toBe(200);
    expect((await requestOf(world, rival, id)).status).toBe(404);
    expect((await requestOf(world, rival, named)).status).toBe(404);
    expect((await answerTo(world, rival, id, { cannot: true })).status).toBe(404);
    const list = await other.rest('GET', '/v1/verifications');
    expect(list.body).toEqual({ items: [], hasMore: false });
  });

  it("another holder's proof does not count in one’s own session", async () => {
    const id = await startOf(world);
    await requestOf(world, rival, id);
    const { body } = await requestOf(world, rival, id);
    // The first holder proves the challenge of the second, who shows it as an own proof, then as one of an own claim.
    const lent = await proofOf(await termsOf(world, body, credential), credential);
    expect((await answerTo(world, rival, id, lent)).status).toBe(404);
    const { coreClaimHash } = theirs;
    expect((await answerTo(world, rival, id, { ...lent, coreClaimHash })).body).toEqual({
      result: { status: 'Non-Compliant' },
    });
  });

  it('a partner that the holder declined gets nothing', async () => {
    const id = await startOf(world);
    const proof = await proofFor(world, rival, theirs, id);
    const path = `/v1/holders/me/partners/${world.partnerId}`;
    const consent = (value: string) =>
      world.gateway.rest('PUT', path, { body: { consent: value }, headers: rival.headers });
    await consent('declined');
    expect((await answerTo(world, rival, id, proof)).status).toBe(409);
    const { status } = await asVerifier(world, 'POST', '/v1/verifications', {
      programId: 'level-three',
      userId: rival.userId,
    });
    expect(status).toBe(409);
    await consent('accepted');
    expect((await answerTo(world, rival, id, proof)).status).toBe(200);
  });
});

describe('A claim that was revoked and issued anew', () => {
  it('after a claim was revoked and issued anew, only the new one can be proven', async () => {
    const who = await holderOf(world, 'anew@example.org');
    const old = await issueTo(world, who);
    const anew = await issueTo(world, who, { ...SUBJECT, level: 1 });
    const first = await startOf(world);
    const proof = await proofFor(world, who, old, first);
    const { coreClaimHash } = anew;
    expect((await answerTo(world, who, first, { ...proof, coreClaimHash })).body).toEqual({
      result: { status: 'Non-Compliant' },
    });
    const second = await startOf(world);
    expect((await answerTo(world, who, second, await proofFor(world, who, old, second))).body).toEqual({
      result: { status: 'Revoked' },
    });
  });
});

describe('A key', () => {
  it('a withdrawn key proves nothing any more, and a check says so', async () => {
    const id = await startOf(world);
    const proof = await proofFor(world, holder, credential, id);
    const valid = async () =>
      (await asVerifier(world, 'POST', '/v1/verifications/check', { zkProof: proof.presentation })).body.valid;
    expect(await valid()).toBe(true);
    await world.gateway.app.services.zkKeys.withdraw(credential.zk.kid);
    expect(await valid()).toBe(false);
    expect((await answerTo(world, holder, id, proof)).body).toEqual({ result: { status: 'Non-Compliant' } });
    expect((await recordOf(world, id)).reason).toBe('proof');
  });

  it('a key of the prover’s own proves nothing', async () => {
    const claim = await issueTo(world, holder, { ...SUBJECT, level: 1 });
    const id = await startOf(world);
    const { body } = await requestOf(world, holder, id);
    const terms = await termsOf(world, body, claim);
    const { schemaId, schemaVersion } = claim.zk;
    const facts = { coreClaimHash: claim.coreClaimHash, schemaId, schemaVersion };
    const forged = { ...facts, credentialSubject: { ...SUBJECT, level: 3 } };
    const signature = suite.sign(forged, terms.points, suite.newKey().secretKey);
    const proof = { coreClaimHash: claim.coreClaimHash, ...suite.prove(terms, { claim: forged, signature }) };
    expect((await answerTo(world, holder, id, proof)).body).toEqual({ result: { status: 'Non-Compliant' } });
  });
});

// How verifications end by themselves, what is kept of them and for how long, and the flow in GraphQL: the same functions as REST.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealedFields } from '../../../src/compose/domains.js';
import { rekey } from '../../../src/store/rekey.js';
import { SealedBox } from '../../../src/keys/sealed-box.js';
import { verificationModels } from '../../../src/verification/records/models.js';
import { Nullifiers } from '../../../src/verification/records/nullifiers.js';
import { SseClient } from '../../events/sse-client.js';
import { settled } from '../../events/support.js';
import { dumpOf } from '../../support/database.js';
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
  proofOf,
  putProgram,
  recordOf,
  requestOf,
  startOf,
  startWorld,
  termsOf,
  type World,
} from '../world.js';

let world: World;
let holder: Holder;
let credential: HeldCredential;
beforeAll(async () => {
  world = await startWorld();
  holder = await holderOf(world, 'ada@example.org');
  credential = await issueTo(world, holder);
});
afterAll(() => world?.gateway.close());

const collection = (name: string) => world.gateway.app.connection.collection(name);
/** Lets the time of a verification be over. */
const expire = (id: string) => {
  const past = new Date(Date.now() - 1_000);
  return collection('verifications').updateOne({ _id: id as never }, { $set: { dueAt: past, expiresAt: past } });
};
const TIMEOUT = { state: 'closed', result: { status: 'Non-Compliant' }, reason: 'timeout' };

describe('A verification whose time is over', () => {
  it('an expired verification is closed, and can be neither fetched nor answered before that', async () => {
    const id = await startOf(world);
    const proof = await proofFor(world, holder, credential, id);
    await expire(id);
    expect((await requestOf(world, holder, id)).status).toBe(410);
    expect((await answerTo(world, holder, id, proof)).status).toBe(410);
    expect(await closedOf(world, id)).toMatchObject(TIMEOUT);
    expect((await answerTo(world, holder, id, proof)).status).toBe(410);
  });

  it('a proved verification without a chain is closed after 30 days, and does not count as a use of its program', async () => {
    await putProgram(world, 'pending', ['level = 3'], { maxPerHolder: 1 });
    const id = await startOf(world, { programId: 'pending' });
    await answerTo(world, holder, id, await proofFor(world, holder, credential, id));
    const row = await collection('verifications').findOne({ _id: id as never });
    expect(row?.dueAt.getTime() - Date.now()).toBeGreaterThan(29 * 86_400_000);
    expect(await collection('programUses').findOne({ programId: 'pending' })).toMatchObject({ taken: 1 });
    await expire(id);
    expect(await closedOf(world, id)).toMatchObject({ ...TIMEOUT, credentialId: 'member' });
    expect(await collection('programUses').findOne({ programId: 'pending' })).toMatchObject({ taken: 0 });
  });

  it('after an expired verification, its named holder can get the next one', async () => {
    const named = { programId: PROGRAM, userId: holder.userId };
    const first = await asVerifier(world, 'POST', '/v1/verifications', named);
    await expire(first.body.verificationId);
    const next = await asVerifier(world, 'POST', '/v1/verifications', named);
    expect(next.status).toBe(201);
    expect(next.body.verificationId).not.toBe(first.body.verificationId);
  });
});

describe('What is kept', () => {
  it('records are deleted after 90 days, and proofs sooner', async () => {
    const id = await startOf(world);
    await requestOf(world, holder, id);
    await answerTo(world, holder, id, { declined: true });
    const row = await collection('verifications').findOne({ _id: id as never });
    expect(row?.expireAt.getTime() - row?.decidedAt.getTime()).toBe(90 * 86_400_000);
    for (const name of ['verifications', 'verificationProofs']) {
      const indexes = await collection(name).indexes();
      expect(indexes).toContainEqual(expect.objectContaining({ key: { expireAt: 1 }, expireAfterSeconds: 0 }));
    }
  });

  it('no value of a claim and no opening is stored', async () => {
    await putProgram(world, 'canary', ['note != "iron"']);
    const id = await startOf(world, { programId: 'canary' });
    const proof = await proofFor(world, holder, credential, id);
    expect((await answerTo(world, holder, id, proof)).body).toEqual({ result: { status: 'Pending' } });
    const dump = await dumpOf(world.gateway.app.connection);
    expect(dump).toContain(proof.presentation);
    for (const secret of [proof.opening, '2024-02-29']) expect(dump).not.toContain(secret);
    // Ciphertext in base64 has every short word at times.
    expect(dump).not.toMatch(/(?<![A-Za-z0-9+/_-])gold(?![A-Za-z0-9+/_-])/);
  });

  it('a change of KEYSTORE_KEY reseals the key of nullifiers, but does not change it', async () => {
    const { connection } = world.gateway.app;
    const models = verificationModels(connection);
    const [before, current] = [Buffer.alloc(32, 7), Buffer.alloc(32, 9)];
    const nullifier = await new Nullifiers(models, new SealedBox(before)).nullifier('program', 'holder');
    await rekey(sealedFields(connection), new SealedBox(current, [before]));
    expect(await new Nullifiers(models, new SealedBox(current)).nullifier('program', 'holder')).toBe(nullifier);
    expect(await new Nullifiers(models, new SealedBox(current)).nullifier('other', 'holder')).not.toBe(nullifier);
    await rekey(sealedFields(connection), new SealedBox(before, [current]));
  });
});

describe('A program', () => {
  it('a program lists its conditions that cannot be proven, and is not started when none can', async () => {
    const { body } = await putProgram(world, 'texts', ['note > "a"', 'level >= 1']);
    const unprovable = [{ credentialId: 'member', condition: 'note > "a"', why: 'order' }];
    expect(body).toMatchObject({ provable: false, unprovable });
    const query = '{ program(programId: "texts") { provable unprovable { credentialId condition why } } }';
    expect((await world.gateway.gql(query)).data.program).toEqual({ provable: false, unprovable });
    const started = await asVerifier(world, 'POST', '/v1/verifications', { programId: 'texts' });
    expect([started.status, started.body.error]).toEqual([409, 409]);
    expect((await world.gateway.admin('GET', `/v1/admin/programs/${PROGRAM}`)).body).toMatchObject({
      provable: true,
      unprovable: [],
    });
  });

  it("a program's version changes with a condition, and not with a name", async () => {
    const versionOf = async () =>
      (await world.gateway.rest('GET', '/v1/programs/moved/proof-request')).body.programVersion;
    await putProgram(world, 'moved', ['level = 3']);
    const version = await versionOf();
    const id = await startOf(world, { programId: 'moved' });
    const proof = await proofFor(world, holder, credential, id);
    await putProgram(world, 'moved', ['level = 3'], { name: 'Another name' });
    expect(await versionOf()).toBe(version);
    await putProgram(world, 'moved', ['level = 9']);
    expect(await versionOf()).not.toBe(version);
    expect((await answerTo(world, holder, id, proof)).body).toEqual({ result: { status: 'Pending' } });
    expect((await recordOf(world, id)).programVersion).toBe(version);
    const path = `/v1/programs/moved/proof-request?version=${version}&now=2026-01-01T00:00:00.000Z`;
    const pinned = await world.gateway.rest('GET', path);
    expect(pinned.body.accepted[0].conditions).toEqual([{ field: 'level', family: 'number', equals: 3 }]);
    expect(pinned.headers.get('cache-control')).toContain('immutable');
    expect((await world.gateway.rest('GET', path.replace('moved', PROGRAM))).status).toBe(404);
    const asked = async (now: string) =>
      (await world.gateway.gql(`{ proofRequest(programId: "moved", now: "${now}") { now } }`)).data?.proofRequest;
    expect(await asked('2026-01-01T02:00:00+02:00')).toEqual({ now: '2026-01-01T00:00:00.000Z' });
    expect(await asked('yesterday')).toBeUndefined();
  });

  it('a program shows its lists without witnesses, which are created once', async () => {
    await putProgram(world, 'lists', ['note in ["gold", "silver"]']);
    const id = await startOf(world, { programId: 'lists' });
    const requests = await Promise.all([requestOf(world, holder, id), requestOf(world, holder, id)]);
    const [one, two] = requests.map(({ body }) => body.accepted[0].accumulators);
    expect(one).toEqual(two);
    expect(one[0].witnesses).toHaveLength(2);
    const version = requests[0]?.body.challenge.programVersion;
    const shown = await world.gateway.rest('GET', `/v1/programs/lists/proof-request?version=${version}`);
    const { witnesses: _witnesses, ...list } = one[0];
    expect(shown.body.accepted[0].accumulators).toEqual([list]);
  });

  it('only partners of the verifier start a program, with redirects to their origins', async () => {
    const start = (more: object) => asVerifier(world, 'POST', '/v1/verifications', { programId: PROGRAM, ...more });
    expect((await start({ redirectUrl: 'https://app.example/done' })).status).toBe(400);
    expect((await start({ redirectUrl: 'http://app.example/done' })).status).toBe(400);
    expect((await start({ programId: 'none' })).status).toBe(404);
    expect((await start({ userId: '00000000-0000-4000-8000-000000000000' })).status).toBe(404);
    const { body } = await world.gateway.admin('GET', `/v1/admin/partners/${world.partnerId}`);
    const { name, jwks, scopes, issuerDids, issueOnBehalf } = body;
    const put = (more: object) =>
      world.gateway.admin('PUT', `/v1/admin/partners/${world.partnerId}`, {
        body: { name, jwks, scopes, issuerDids, issueOnBehalf, ...more },
      });
    await put({ verifierIds: ['another'], allowedOrigins: ['https://app.example'] });
    expect((await start({})).status).toBe(403);
    await put({ verifierIds: ['agency'], allowedOrigins: ['https://app.example'] });
    expect(await start({ redirectUrl: 'https://app.example/done' })).toMatchObject({
      status: 201,
      body: { redirectUrl: 'https://app.example/done' },
    });
    await put({});
  });
});

describe('GraphQL', () => {
  it('GraphQL does what REST does, and subscribers get each step', async () => {
    const verifier = { 'x-partner-auth': await world.partner.token({}, 'verify') };
    // Not those of the tests before.
    await settled(world.gateway);
    const stream = await SseClient.open(`${world.gateway.url}/v1/events?types=verification_proved`, verifier);
    const started = await world.gateway.gql(
      'mutation ($input: StartVerificationInput!) { startVerification(input: $input) { isNew verification { verificationId state result { status } } } }',
      { input: { programId: PROGRAM } },
      verifier,
    );
    const { isNew, verification } = started.data.startVerification;
    expect([isNew, verification.state, verification.result.status]).toEqual([true, 'open', 'Pending']);
    const id = verification.verificationId;
    const asked = await world.gateway.gql(
      `{ verificationRequest(verificationId: "${id}") { challenge program { verifierName }
        accepted { credentialId conditions accumulators } candidates { coreClaimHash provable why } } }`,
      {},
      holder.headers,
    );
    const request = asked.data.verificationRequest;
    expect(request.candidates).toEqual([{ coreClaimHash: credential.coreClaimHash, provable: true, why: null }]);
    const proof = await proofOf(await termsOf(world, request, credential), credential);
    const answered = await world.gateway.gql(
      'mutation ($input: AnswerVerificationInput!) { answerVerification(input: $input) { result { status } } }',
      { input: { verificationId: id, ...proof } },
      holder.headers,
    );
    expect(answered.data).toEqual({ answerVerification: { result: { status: 'Pending' } } });
    const read = await world.gateway.gql(
      `{ verification(verificationId: "${id}") { verificationId reason nullifier createdAt anchor { root } } verifications(first: 1, programId: "${PROGRAM}") { nodes { verificationId } totalCount } }`,
      {},
      verifier,
    );
    const { createdAt, nullifier, reason } = await recordOf(world, id);
    expect(read.data.verification).toEqual({ verificationId: id, reason, nullifier, createdAt, anchor: null });
    expect(read.data.verifications.nodes).toEqual([{ verificationId: id }]);
    const own = await world.gateway.gql(
      `{ verification(verificationId: "${id}") { verificationId reason result { status zkProofs } } }`,
      {},
      holder.headers,
    );
    expect(own.data.verification).toEqual({
      verificationId: null,
      reason: 'no_chain',
      result: { status: 'Pending', zkProofs: null },
    });
    const checked = await world.gateway.gql(
      'mutation ($input: CheckProofInput!) { checkProof(input: $input) { valid verificationId now } }',
      { input: { zkProof: proof.presentation } },
      verifier,
    );
    expect(checked.data.checkProof).toEqual({ valid: true, verificationId: id, now: createdAt });
    const [event] = await stream.count(1);
    expect(event?.data).toMatchObject({
      verificationId: id,
      programId: PROGRAM,
      status: 'Pending',
      reason: 'no_chain',
    });
    stream.close();
  });

  it('GraphQL and REST list a partner’s own verifications, newest first, by program and status', async () => {
    const list = async (query: string) => (await asVerifier(world, 'GET', `/v1/verifications?${query}`)).body;
    const all = await list('limit=100');
    const times = all.items.map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());
    const pages = [await list('limit=2')];
    pages.push(await list(`limit=2&after=${pages[0].nextCursor}`));
    expect(pages.flatMap(({ items }) => items)).toEqual(all.items.slice(0, 4));
    const pending = await list('status=Pending&programId=lists');
    expect(pending.items).toHaveLength(1);
    expect((await list('status=Compliant')).items).toEqual([]);
    expect((await list('status=Unknown')).error).toBe(400);
  });
});

it('A claim of an older schema version without the fields is a candidate that cannot answer', async () => {
  const points = (names: string[]) =>
    names.map((name) => ({ name, type: 'integer', isRequired: false, description: '' }));
  const putSchema = (names: string[]) =>
    world.gateway.admin('PUT', '/v1/admin/schemas/growing', {
      body: { title: 'G', description: '', dataPoints: points(names) },
    });
  const growing = { name: 'Growing', category: 'c', issuerId: 'club', schemaId: 'growing' };
  const putCredential = () => world.gateway.admin('PUT', '/v1/admin/credentials/growing', { body: growing });
  await putSchema(['a']);
  await putCredential();
  const issue = (credentialSubject: object) =>
    world.partner.rest('POST', '/v1/credentials/issue-on-behalf', {
      issuerDid: world.issuerDid,
      credentialId: 'growing',
      credentialSubject,
      email: holder.email,
    });
  const { coreClaimHash } = (await issue({ a: 1 })).body;
  await putSchema(['a', 'b']);
  await world.gateway.admin('DELETE', '/v1/admin/credentials/growing');
  await putCredential();
  await putProgram(world, 'grown', [], {
    acceptedCredentials: [{ credentialId: 'growing', verificationConditions: ['b = 2'] }],
  });
  const id = await startOf(world, { programId: 'grown' });
  const { body } = await requestOf(world, holder, id);
  expect(body.candidates).toMatchObject([{ coreClaimHash, schemaVersion: 1, provable: false, why: 'missing' }]);
});

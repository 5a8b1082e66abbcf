// Verifications over a real chain: Compliant once claim and proof are there, counted, and lapsed when the claim ends (contract §15, §16, §19).
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAnchored } from '../../../src/chain/anchor-check.js';
import { recount } from '../../../src/cli/traction.js';
import { rpcOver } from '../../../src/evm/rpc.js';
import { guardedFetch } from '../../../src/http/outbound/guarded-fetch.js';
import { type ChainWorld, startChainWorld } from '../../chain/support.js';
import { ANVIL } from '../../support/anvil.js';
import { until } from '../../support/eventually.js';
import { decrypt } from '../../support/holder-device.js';
import { SCHEMA } from '../../support/membership.js';
import { registerPartner } from '../../support/partner.js';
import { selfSigningIssuer } from '../../support/self-signing-issuer.js';
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
  SUBJECT,
  startOf,
  type World,
  worldOf,
} from '../world.js';

describe.skipIf(ANVIL === undefined)('With a chain', () => {
  let chainWorld: ChainWorld;
  let world: World;
  let holder: Holder;
  beforeAll(async () => {
    chainWorld = await startChainWorld();
    world = await worldOf(chainWorld);
    holder = await holderOf(world, 'ada@example.org');
  });
  afterAll(() => chainWorld?.close());

  const revoke = (coreClaimHash: string) => world.partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash });
  const proved = async (who: Holder, credential: HeldCredential): Promise<{ id: string; presentation: string }> => {
    const id = await startOf(world);
    const proof = await proofFor(world, who, credential, id);
    expect((await answerTo(world, who, id, proof)).body).toEqual({ result: { status: 'Pending' } });
    return { id, presentation: proof.presentation };
  };
  const closed = (id: string) => closedOf(world, id);
  const eventsOf = async (id: string): Promise<string[]> => {
    const { body } = await world.partner.rest(
      'GET',
      '/v1/events?limit=100&types=verification_closed,verification_lapsed',
    );
    return body.items.flatMap((event: Record<string, string>) =>
      event.verificationId === id ? [`${event.type} ${event.status}`] : [],
    );
  };
  const counts = async () => {
    const query = `{ program(programId: "${PROGRAM}") { traction { verificationCount verifiedHolderCount } }
      credential(credentialId: "member") { traction { verificationCount } issuer { traction { verificationCount } } } }`;
    const { data } = await world.gateway.gql(query);
    const { program, credential } = data;
    return [
      program.traction.verificationCount,
      program.traction.verifiedHolderCount,
      credential.traction.verificationCount,
      credential.issuer.traction.verificationCount,
    ];
  };

  it('a proof becomes Compliant, with an anchor that anyone can check there, and is counted once', async () => {
    const credential = await issueTo(world, holder);
    const { id, presentation } = await proved(holder, credential);
    const record = await closed(id);
    expect(record).toMatchObject({
      result: {
        status: 'Compliant',
        zkProofs: { member: presentation },
        transactionHash: record.anchor.transactionHash,
      },
      reason: null,
      current: 'Compliant',
      anchor: { kind: 2 },
      receipt: expect.any(String),
    });
    const { verificationId, programId, programVersion, nullifier, proofSha256 } = record;
    const digest = createHash('sha256')
      .update(canonicalize({ verificationId, programId, programVersion, nullifier, proofSha256 }) ?? '')
      .digest('hex');
    const rpc = rpcOver(guardedFetch({ allowLoopback: true }), chainWorld.chain.url);
    expect(await isAnchored(rpc, digest, 2, record.anchor)).toBe(true);
    expect(await isAnchored(rpc, digest, 0, record.anchor)).toBe(false);
    const check = await asVerifier(world, 'POST', '/v1/verifications/check', { zkProof: presentation });
    expect(check.body).toMatchObject({ valid: true, verificationId: id, programId: PROGRAM, credentialId: 'member' });
    await expect.poll(counts).toEqual([1, 1, 1, 1]);

    const again = await proved(holder, credential);
    expect((await closed(again.id)).nullifier).toBe(nullifier);
    await expect.poll(counts).toEqual([2, 1, 2, 2]);
    await expect.poll(() => recount(world.gateway.app.connection)).toMatchObject({ sound: true });
    await world.gateway.app.connection.collection('nullifiers').updateOne({}, { $inc: { count: 1 } });
    expect((await recount(world.gateway.app.connection)).lines).toContainEqual(
      expect.stringContaining('program level-three: 0 issuances, 1 holders, 2 verifications stored, '),
    );
    await world.gateway.app.connection.collection('nullifiers').updateOne({}, { $inc: { count: -1 } });
  });

  it('a holder with a credential of a self-signing issuer becomes Compliant, and the issuer gets the event of its compliance access key', async () => {
    const { gateway } = world;
    const did = 'did:web:own.example';
    const issuer = await selfSigningIssuer(did);
    const put = async (path: string, body: object) =>
      expect((await gateway.admin('PUT', `/v1/admin/${path}`, { body })).status).toBe(200);
    await put('issuers/own', { name: 'Own', issuerFrom: 'x', issuerDid: did, zkKeys: [issuer.zkKey] });
    const credential = { name: 'Own', category: 'c', issuerId: 'own', schemaId: SCHEMA.$id, cak: true };
    await put('credentials/own', credential);
    const acceptedCredentials = [{ credentialId: 'own', verificationConditions: ['level = 3'] }];
    await putProgram(world, 'with-key', [], { acceptedCredentials, cak: true });
    const partner = await registerPartner(gateway, [did]);

    const other = await holderOf(world, 'own@example.org');
    const { body: recipient } = await partner.rest('POST', '/v1/auth/initialize-user', { email: other.email });
    const path = `/v1/schemas/${encodeURIComponent(SCHEMA.$id)}/versions/1/encoding`;
    const { points } = (await gateway.rest('GET', path)).body;
    const facts = { credentialId: 'own', schemaId: SCHEMA.$id, schemaVersion: 1, points, credentialSubject: SUBJECT };
    const body = await issuer.sign({ ...facts, holder: recipient });
    expect((await partner.rest('POST', '/v1/dstorage/vcs', body)).status).toBe(201);
    const { coreClaim, zk } = JSON.parse(decrypt(other.key, { ...body, key: body.encryptedKey }).toString());
    const held: HeldCredential = { coreClaimHash: body.claim.coreClaimHash, claim: coreClaim, zk };

    const id = await startOf(world, { programId: 'with-key' });
    const proof = await proofFor(world, other, held, id);
    expect((await answerTo(world, other, id, { ...proof, cakConsent: true })).body.result.status).toBe('Pending');
    expect((await closed(id)).result).toMatchObject({ status: 'Compliant', zkProofs: { own: proof.presentation } });
    const authorized = { userId: other.userId, verifierDid: 'did:web:agency.example', schemaId: SCHEMA.$id };
    const eventsAs = async (headers: Record<string, string>) => {
      const answer = await gateway.rest('GET', '/v1/events?types=cak_authorized', { headers });
      return answer.body.items.map(({ id: _id, at: _at, ...event }: Record<string, unknown>) => event);
    };
    const told = [{ type: 'cak_authorized', ...authorized }];
    await expect.poll(async () => eventsAs({ 'x-partner-auth': await partner.token() })).toEqual(told);
    expect(await eventsAs(other.headers)).toEqual(told);
    expect(await eventsAs({ 'x-partner-auth': await world.partner.token() })).toEqual([]);
    const row = await gateway.app.connection.collection('verifications').findOne({ _id: id as never });
    expect(row).not.toHaveProperty('cak');
  });

  it('a Compliant verification lapses when its claim is revoked, and has the current status', async () => {
    const other = await holderOf(world, 'lapsing@example.org');
    const credential = await issueTo(world, other);
    const { id } = await proved(other, credential);
    await closed(id);
    await chainWorld.chain.rpc('evm_setAutomine', false);
    await revoke(credential.coreClaimHash);
    // Told before the chain has the revocation.
    await until(async () => (await eventsOf(id)).length > 1);
    expect((await recordOf(world, id)).current).toBe('Revoking');
    await chainWorld.chain.rpc('evm_setAutomine', true);
    await chainWorld.chain.rpc('anvil_mine', '0x1');
    await until(async () => (await recordOf(world, id)).current === 'Revoked');
    expect(await recordOf(world, id)).toMatchObject({ result: { status: 'Compliant' }, current: 'Revoked' });
    expect(await eventsOf(id)).toEqual(['verification_closed Compliant', 'verification_lapsed Revoking']);
  });

  it('a claim that is revoked before its proof is anchored ends Revoking, and nothing is counted', async () => {
    const other = await holderOf(world, 'late@example.org');
    const credential = await issueTo(world, other);
    await until(async () => {
      const path = `/v1/credentials/status?coreClaimHash=${credential.coreClaimHash}`;
      return (await world.gateway.rest('GET', path)).body.vcStatus === 'ONCHAIN';
    });
    await chainWorld.chain.rpc('evm_setAutomine', false);
    // What the tests before have counted is there.
    await expect.poll(() => recount(world.gateway.app.connection)).toMatchObject({ sound: true });
    const before = await counts();
    const { id } = await proved(other, credential);
    expect((await recordOf(world, id)).reason).toBe('transaction');
    await revoke(credential.coreClaimHash);
    expect(await closed(id)).toMatchObject({ result: { status: 'Revoking' }, reason: null, current: null });
    await chainWorld.chain.rpc('evm_setAutomine', true);
    await chainWorld.chain.rpc('anvil_mine', '0x1');
    expect(await counts()).toEqual(before);
    const uses = await world.gateway.app.connection.collection('programUses').find().toArray();
    expect(uses.map(({ taken, compliant }) => [taken, compliant])).toContainEqual([0, 0]);
  });
});

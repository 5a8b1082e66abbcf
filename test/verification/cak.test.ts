// Programs that ask for the compliance access key: their credentials have one, and the holder says whether the verifier may have it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCHEMA } from '../support/membership.js';
import {
  answerTo,
  type HeldCredential,
  type Holder,
  holderOf,
  issueTo,
  type Proof,
  proofFor,
  putProgram,
  recordOf,
  requestOf,
  startOf,
  startWorld,
  type World,
} from './world.js';

let world: World;
let holder: Holder;
let credential: HeldCredential;
const MEMBER = { name: 'Member', category: 'Club', issuerId: 'club', schemaId: SCHEMA.$id };

beforeAll(async () => {
  world = await startWorld();
  const put = (id: string, more: object) =>
    world.gateway.admin('PUT', `/v1/admin/credentials/${id}`, { body: { ...MEMBER, ...more } });
  await put('member', { cak: true });
  await put('plain', {});
  await putProgram(world, 'key', ['level = 3'], { cak: true });
  holder = await holderOf(world, 'ada@example.org');
  credential = await issueTo(world, holder);
});
afterAll(() => world?.gateway.close());

describe('A program that asks for the key', () => {
  it('a program that asks for the CAK says so in its record', async () => {
    const { body } = await world.gateway.admin('GET', '/v1/admin/programs/key');
    expect(body.cak).toBe(true);
    expect((await world.gateway.admin('GET', '/v1/admin/programs/level-three')).body.cak).toBe(false);
  });

  it.each([
    ['a credential without', [{ credentialId: 'plain', verificationConditions: [] }]],
    ['no credential', []],
  ])('a program that asks for the CAK is refused with %s', async (_name, acceptedCredentials) => {
    const body = { name: 'K', description: '', verifierId: 'agency', acceptedCredentials, pricingModel: 'Free' };
    const answer = await world.gateway.admin('PUT', '/v1/admin/programs/bad', { body: { ...body, cak: true } });
    expect(answer.body).toEqual({ error: 400, message: expect.stringContaining('"cak" needs credentials with a CAK') });
  });

  it('credentials of a program that asks for the CAK cannot lose it, except by force', async () => {
    const put = (more: object) =>
      world.gateway.admin('PUT', '/v1/admin/credentials/member', { body: { ...MEMBER, ...more } });
    const refused = await put({});
    expect([refused.status, refused.body.message]).toEqual([
      409,
      '"cak" is asked for by the program key; with "force": true it is written anyway.',
    ]);
    expect((await put({ force: true })).body.cak).toBe(false);
    expect((await put({ cak: true })).body.cak).toBe(true);
  });

  it('asking for the CAK makes another version of a program', async () => {
    const versionOf = async () => (await recordOf(world, await startOf(world, { programId: 'key' }))).programVersion;
    const asking = await versionOf();
    await putProgram(world, 'key', ['level = 3']);
    expect(await versionOf()).not.toBe(asking);
    await putProgram(world, 'key', ['level = 3'], { cak: true });
    expect(await versionOf()).toBe(asking);
  });
});

describe('The holder', () => {
  const asked = async (programId: string): Promise<{ id: string; proof: Proof }> => {
    const id = await startOf(world, { programId });
    return { id, proof: await proofFor(world, holder, credential, id) };
  };

  it('the request tells the holder that the CAK is asked for', async () => {
    const cakOf = async (programId: string) => {
      const id = await startOf(world, { programId });
      return (await requestOf(world, holder, id)).body.program.cak;
    };
    expect([await cakOf('key'), await cakOf('level-three')]).toEqual([true, false]);
  });

  it('an answer without cakConsent is refused, and nothing is spent', async () => {
    const { id, proof } = await asked('key');
    const without = await answerTo(world, holder, id, proof);
    expect([without.status, without.body.message]).toEqual([400, expect.stringContaining('"cakConsent" is missing')]);
    const { body } = await answerTo(world, holder, id, { ...proof, cakConsent: true });
    expect(body).toEqual({ result: { status: 'Pending' } });
  });

  it('without consent to the CAK, the verification is declined', async () => {
    const { id, proof } = await asked('key');
    const { body } = await answerTo(world, holder, id, { ...proof, cakConsent: false });
    expect(body).toEqual({ result: { status: 'Non-Compliant' } });
    expect(await recordOf(world, id)).toMatchObject({ reason: 'declined', nullifier: null });
  });

  it('other programs do not ask for the CAK', async () => {
    const { id, proof } = await asked('level-three');
    expect((await answerTo(world, holder, id, proof)).body).toEqual({ result: { status: 'Pending' } });
  });
});

it('no issuer gets an event before a verification is Compliant', async () => {
  const { connection } = world.gateway.app;
  expect(await connection.collection('events').countDocuments({ type: 'cak_authorized' })).toBe(0);
  expect(await connection.collection('verifications').countDocuments({ cak: { $exists: true } })).toBe(1);
});

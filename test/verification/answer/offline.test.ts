// A verifier that has only the presentation, the public routes and the suite checks a proof without the gateway's word (contract §14).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodePresentation, loadSuite, type Presentation, publicKeyBytes } from '../../../src/zk/index.js';
import {
  answerTo,
  holderOf,
  issueTo,
  proofFor,
  putProgram,
  recordOf,
  startOf,
  startWorld,
  type World,
} from '../world.js';

const PROGRAM = 'offline';

let world: World;
let zkProof: string;
beforeAll(async () => {
  world = await startWorld();
  await putProgram(world, PROGRAM, ['level >= 2', 'level in [1, 3, 5, 7]', 'note = "gold"']);
  const holder = await holderOf(world, 'ada@example.org');
  const credential = await issueTo(world, holder);
  const id = await startOf(world, { programId: PROGRAM });
  const proof = await proofFor(world, holder, credential, id);
  expect((await answerTo(world, holder, id, proof)).body).toEqual({ result: { status: 'Pending' } });
  expect((await recordOf(world, id)).state).toBe('proved');
  zkProof = proof.presentation;
  // What counts is what the program asked when the verification began.
  await putProgram(world, PROGRAM, ['level >= 1000']);
});
afterAll(() => world?.gateway.close());

/** A public answer: asked without any token. */
async function published(path: string) {
  const { status, body } = await world.gateway.rest('GET', path);
  expect(status).toBe(200);
  return body;
}

/** What a verifier on its own makes of a presentation. */
async function isValid(presentation: Presentation): Promise<boolean> {
  const { programId, programVersion, now, credentialId, schemaId, schemaVersion, kid, verificationId } = presentation;
  const query = new URLSearchParams({ version: programVersion, now });
  const request = await published(`/v1/programs/${programId}/proof-request?${query}`);
  const accepted = request.accepted.find((each: { credentialId: string }) => each.credentialId === credentialId);
  const { keys } = await published(`/v1/issuers/${encodeURIComponent(accepted.issuerId)}/zk-keys`);
  const key = keys.find((each: { kid: string }) => each.kid === kid);
  const { points } = await published(`/v1/schemas/${encodeURIComponent(schemaId)}/versions/${schemaVersion}/encoding`);
  const { nonce, partnerId } = presentation;
  const terms = {
    challenge: { verificationId, nonce, now, partnerId, programId, programVersion },
    ...{ credentialId, schemaId, schemaVersion, kid, points },
    conditions: accepted.conditions,
    accumulators: accepted.accumulators,
  };
  const publicKey = publicKeyBytes(key.publicKeyMultibase) ?? new Uint8Array();
  return (await loadSuite()).verify(terms, publicKey, presentation);
}

it('an offline check accepts the proof of a range, a list and a value, under the pinned version', async () => {
  expect(await isValid(decodePresentation(zkProof))).toBe(true);
});

it.each<[string, (presentation: Presentation) => Partial<Presentation>]>([
  ['for another verification', () => ({ verificationId: 'another' })],
  ['for another partner', () => ({ partnerId: 'another' })],
  ['with another nonce', () => ({ nonce: Buffer.alloc(32, 1).toString('base64url') })],
  ['at another moment', ({ now }) => ({ now: new Date(Date.parse(now) + 1_000).toISOString() })],
])('an offline check refuses the same proof %s', async (_, change) => {
  const presentation = decodePresentation(zkProof);
  expect(await isValid({ ...presentation, ...change(presentation) })).toBe(false);
});

it("an offline check refuses a proof under the program's current conditions", async () => {
  const presentation = decodePresentation(zkProof);
  const { programVersion } = await published(`/v1/programs/${PROGRAM}/proof-request`);
  expect(programVersion).not.toBe(presentation.programVersion);
  // A version can be asked for once a verification has begun with it.
  await startOf(world, { programId: PROGRAM });
  expect(await isValid({ ...presentation, programVersion })).toBe(false);
});

// Plans: what a holder can do about a program with what it has, and which programs a credential alone may meet (contract §17).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SCHEMA } from '../../support/membership.js';
import {
  type HeldCredential,
  type Holder,
  holderOf,
  issueTo,
  PROGRAM,
  putProgram,
  startWorld,
  type World,
} from '../world.js';

const MEMBER = { name: 'Member', category: 'Club', issuerId: 'club', schemaId: SCHEMA.$id };

let world: World;
let ahead = 0;
const now = (): number => Date.now() + ahead;
let holder: Holder;

beforeAll(async () => {
  world = await startWorld({ clock: now });
  await putProgram(world, 'free', []);
  await putProgram(world, 'unprovable', ['note > "a"']);
});
afterAll(() => world?.gateway.close());
beforeEach(async () => {
  await put('credentials/member', MEMBER);
  holder = await holderOf(world, `${randomUUID()}@example.org`);
});

async function put(path: string, body: object): Promise<void> {
  const answer = await world.gateway.admin('PUT', `/v1/admin/${path}`, { body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}
const planOf = async (programId = PROGRAM, who = holder) =>
  (await world.gateway.rest('GET', `/v1/programs/${programId}/plan`, { headers: who.headers })).body;
const plan = (result: string, state: string, obtainable = true, programId = PROGRAM) => ({
  programId,
  result,
  credentials: [{ credentialId: 'member', state, obtainable }],
});
/** As an anchor leaves the row of a claim. */
const mark = ({ coreClaimHash }: HeldCredential, fields: object) =>
  world.gateway.app.connection.collection('issuances').updateOne({ coreClaimHash }, { $set: fields });
const revoke = ({ coreClaimHash }: HeldCredential) =>
  world.partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash });

describe('The plan of a holder', () => {
  it('the plan without a credential is no, and shows that the credential can be issued', async () => {
    expect(await planOf()).toEqual(plan('NO', 'NOT_HELD'));
  });

  it('the plan with a claim that waits for the chain is maybe', async () => {
    await issueTo(world, holder);
    expect(await planOf()).toEqual(plan('MAYBE', 'PENDING'));
  });

  it('the plan with a claim on the chain is maybe if values matter, and yes if they do not', async () => {
    await mark(await issueTo(world, holder), { anchoredAt: new Date(now()) });
    expect(await planOf()).toEqual(plan('MAYBE', 'HELD'));
    expect(await planOf('free')).toEqual(plan('YES', 'HELD', true, 'free'));
  });

  it('the plan has the status of a claim, and of several claims the best', async () => {
    const first = await issueTo(world, holder);
    await revoke(first);
    expect(await planOf()).toEqual(plan('NO', 'REVOKED'));
    const second = await issueTo(world, holder);
    await mark(second, { anchoredAt: new Date(now()) });
    await revoke(second);
    expect(await planOf()).toEqual(plan('NO', 'REVOKING'));
    await issueTo(world, holder, undefined, { expiresAt: new Date(now() + 120_000).toISOString() });
    expect(await planOf()).toEqual(plan('MAYBE', 'PENDING'));
    ahead += 130_000;
    expect(await planOf()).toEqual(plan('NO', 'EXPIRED'));
  });

  it("the plan is no if conditions cannot be proven, or not of the holder's version", async () => {
    await mark(await issueTo(world, holder), { anchoredAt: new Date(now()) });
    expect(await planOf('unprovable')).toEqual(plan('NO', 'UNPROVABLE', true, 'unprovable'));
    const dataPoints = [{ name: 'note', type: 'string' }];
    await put('schemas/poor', { title: 'P', description: '', dataPoints });
    await world.gateway.app.connection
      .collection('issuances')
      .updateMany({ holderId: holder.userId }, { $set: { schemaId: 'poor', schemaVersion: 1 } });
    expect(await planOf()).toEqual(plan('NO', 'UNPROVABLE'));
  });

  it('the plan shows credentials that cannot be issued: outside of the window, beyond the maximum', async () => {
    await put('credentials/member', { ...MEMBER, accessibleEnd: '2020-01-01T00:00:00Z' });
    expect(await planOf()).toEqual(plan('NO', 'NOT_HELD', false));
    await put('credentials/member', { ...MEMBER, accessibleStart: '2100-01-01T00:00:00Z' });
    expect(await planOf()).toEqual(plan('NO', 'NOT_HELD', false));
    await put('credentials/member', { ...MEMBER, maximumIssuance: 1 });
    expect(await planOf()).toEqual(plan('NO', 'NOT_HELD', false));
    await put('credentials/member', { ...MEMBER, maximumIssuance: 1_000_000 });
    expect(await planOf()).toEqual(plan('NO', 'NOT_HELD', true));
  });

  it("the plan uses the holder's own claims alone", async () => {
    await issueTo(world, holder);
    const other = await holderOf(world, `${randomUUID()}@example.org`);
    expect(await planOf(PROGRAM, other)).toEqual(plan('NO', 'NOT_HELD'));
  });
});

describe('The plan of anyone', () => {
  const planWith = (body: object, programId = PROGRAM) =>
    world.gateway.rest('POST', `/v1/programs/${programId}/plan`, { body });

  it('the plan of anyone is for the named credentials', async () => {
    expect((await planWith({ holding: ['member'] })).body).toEqual(plan('MAYBE', 'HELD'));
    expect((await planWith({ holding: ['member', 'other'] }, 'free')).body).toEqual(plan('YES', 'HELD', true, 'free'));
    expect((await planWith({ holding: [] })).body).toEqual(plan('NO', 'NOT_HELD'));
    expect((await planWith({ holding: ['member'] }, 'unprovable')).body.result).toBe('NO');
  });

  it('a plan needs a program, and a list of credentials or a session', async () => {
    expect((await planWith({ holding: [] }, 'nothing')).status).toBe(404);
    expect((await planWith({})).status).toBe(400);
    expect((await planWith({ holding: Array(101).fill('x') })).status).toBe(400);
    expect((await world.gateway.rest('GET', `/v1/programs/${PROGRAM}/plan`)).status).toBe(401);
  });

  it('the plan is the same in GraphQL', async () => {
    const query = `query ($holding: [String!]) {
      verificationPlan(programId: "${PROGRAM}", holding: $holding) {
        programId result credentials { credentialId state obtainable }
      }
    }`;
    const named = await world.gateway.gql(query, { holding: ['member'] });
    expect(named.data.verificationPlan).toEqual(plan('MAYBE', 'HELD'));
    const own = await world.gateway.gql(query, {}, holder.headers);
    expect(own.data.verificationPlan).toEqual(plan('NO', 'NOT_HELD'));
    const nobody = await world.gateway.gql(query);
    expect(nobody.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });
});

it('A credential opens the programs whose conditions can be proven of it', async () => {
  const query = '{ credential(credentialId: "member") { opens { unconditional program { programId } } } }';
  const { data } = await world.gateway.gql(query);
  const opens = data.credential.opens.map((each: { unconditional: boolean; program: { programId: string } }) => [
    each.program.programId,
    each.unconditional,
  ]);
  expect(opens.sort()).toEqual([
    ['free', true],
    [PROGRAM, false],
  ]);
});

// What wallets of others have been offered stays as it is: the type of a credential, and what its derived claims mean.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Membership, SCHEMA, startMembership } from '../../support/membership.js';

const ADULT = { name: 'adult', condition: 'since <= today - 18 years' };
const LONG = { name: 'long', condition: 'since <= today - 30 years' };
const VCT = 'urn:club:member';
let world: Membership;
beforeAll(async () => {
  world = await startMembership();
  expect(await put({ vct: VCT, derived: [ADULT] })).toEqual([200, undefined]);
  await world.gateway.app.connection
    .collection('credentials')
    .updateOne({ _id: 'member' as never }, { $set: { offered: true } });
});
afterAll(() => world?.gateway.close());

/** Writes the credential; the status, and the message of a refusal. */
async function put(more: object): Promise<[number, string | undefined]> {
  const body = { name: 'Member', category: 'Club', issuerId: 'club', schemaId: SCHEMA.$id, ...more };
  const answer = await world.gateway.admin('PUT', '/v1/admin/credentials/member', { body });
  return [answer.status, answer.body.message];
}

describe('A credential that was offered to wallets', () => {
  it.each([
    ['another type', { vct: 'urn:club:other', derived: [ADULT] }, 'its "vct" is fixed.'],
    ['no type', { derived: [ADULT] }, 'its "vct" is fixed.'],
    ['a claim without its condition', { vct: VCT }, 'its derived claim "adult" is fixed.'],
    ['another condition', { vct: VCT, derived: [{ ...LONG, name: 'adult' }] }, 'its derived claim "adult" is fixed.'],
    ['another name', { vct: VCT, derived: [{ ...ADULT, name: 'of_age' }] }, 'its derived claim "adult" is fixed.'],
  ])('is refused with %s', async (_, more, reason) => {
    expect(await put(more)).toEqual([409, `The credential was offered to wallets: ${reason}`]);
  });

  it('takes further derived claims, and the same again', async () => {
    expect(await put({ vct: VCT, derived: [LONG, ADULT] })).toEqual([200, undefined]);
    expect(await put({ vct: VCT, derived: [ADULT, LONG] })).toEqual([200, undefined]);
    expect(await put({ vct: VCT, derived: [ADULT] })).toEqual([409, expect.stringContaining('"long" is fixed')]);
  });
});

// Places of copies in token status lists: two issuances never share one, whatever they draw at the same time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partnerWithoutToken } from '../../../src/base/callers/caller.js';
import { EMAIL, type Membership, startMembership } from '../../support/membership.js';

let world: Membership;
beforeAll(async () => {
  world = await startMembership();
});
afterAll(() => world?.gateway.close());

/** Issues a credential whose only copy gets the first of these places that is free. */
async function issueWith(email: string, indexes: number[]) {
  const { gateway, partnerId, issuerDid } = world;
  const request = {
    ...{ issuerDid, credentialId: 'member', email, onDuplicate: 'revoke' as const },
    credentialSubject: { level: 7, since: '2024-01-01', note: 'a note' },
  };
  const { issuance } = await gateway.app.services.issuance.issueToWallet(
    partnerWithoutToken(partnerId, ['issue']),
    request,
    {
      drawInstances: async () => [{ key: email, list: 'club.w1', index: indexes.shift() ?? -1 }],
      record: async () => {},
    },
  );
  const { coreClaimHash } = issuance;
  const row = await gateway.app.connection.collection('issuances').findOne({ coreClaimHash });
  return row?.instances.map(({ index }: { index: number }) => index);
}

describe('An issuance whose place was drawn by another one meanwhile', () => {
  it('draws again', async () => {
    expect(await issueWith(EMAIL, [7])).toEqual([7]);
    expect(await issueWith('second@example.org', [7, 8])).toEqual([8]);
  });
});

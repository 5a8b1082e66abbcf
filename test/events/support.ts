// What the tests of events share.
import { expect } from 'vitest';
import { eventually } from '../support/eventually.js';
import type { TestGateway } from '../support/gateway.js';
import type { Membership } from '../support/membership.js';
import type { TestPartner } from '../support/partner.js';

/** Issues the membership credential to an address; answers its hash. */
export async function issueMember(
  { issuerDid }: Pick<Membership, 'issuerDid'>,
  partner: Pick<TestPartner, 'rest'>,
  email: string,
): Promise<string> {
  const credentialSubject = { level: 1, since: '2026-01-01' };
  const body = { issuerDid, credentialId: 'member', credentialSubject, email };
  const answer = await partner.rest('POST', '/v1/credentials/issue-on-behalf', body);
  if (answer.status !== 200) throw new Error(`the issuance was refused: ${JSON.stringify(answer.body)}`);
  return answer.body.coreClaimHash;
}

/** The ids of a page. */
export const itemsOf = ({ items }: { items: { id: string }[] }): string[] => items.map(({ id }) => id);

/** Resolves when this gateway has read all that has happened: a stream that opens now begins after it. */
export async function settled({ app }: TestGateway): Promise<void> {
  await eventually(async () =>
    expect(await app.connection.collections.events?.countDocuments({ pending: true })).toBe(0),
  );
  const newest = await app.services.eventFeed.newestSeq();
  await eventually(() => expect(app.services.eventFeed.deliveredSeq).toBeGreaterThanOrEqual(newest));
}

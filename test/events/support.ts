// What the tests of events share.
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

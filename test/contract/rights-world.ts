// A gateway with data of several owners, and every kind of caller who may ask for them.

import type { GatewayOptions, TestGateway } from '../support/gateway.js';
import { startMembership } from '../support/membership.js';
import { logIn, registerPartner, type TestPartner } from '../support/partner.js';
import { putProgram } from '../verification/world.js';

/**
 * The callers. The data belong to `issue` and `verify` (one partner, with a token of each scope) and to `holder`;
 * `page` has a page token of that holder. `read` and `catalog` are operators' keys with these roles.
 */
export const CALLERS = [
  'nobody',
  'expired',
  'ended',
  'other',
  'stranger',
  'verify',
  'issue',
  'holder',
  'page',
  'read',
  'catalog',
  'operator',
] as const;
export type CallerName = (typeof CALLERS)[number];

export interface World {
  gateway: TestGateway;
  headers: Readonly<Record<CallerName, Record<string, string>>>;
  /** Headers of a new session, for requests that end their session. */
  freshSession(caller: CallerName): Promise<Record<string, string>>;
  partnerId: string;
  /** The partner, and another that owns nothing here. */
  partner: TestPartner;
  other: TestPartner;
  holderDid: string;
  /** The hashes of the partner's issuances to the holder, and what is stored of these. */
  hashes: readonly [string, string];
  storedIds: readonly [string, string];
  statusListId: string;
  jobId: string;
  /** Webhooks of the partner, and a delivery of the first. */
  webhookIds: readonly [string, string, string];
  deliveryId: string;
  /** A revocation by filter of the partner, and the token that started it. */
  revocationId: string;
  revocationToken: string;
  /** Verifications of the partner and the holder. */
  verificationIds: readonly [string, string];
}

/**
 * The longest life of a token, less a minute. On a busy machine, the rows take longer than the five minutes that the
 * tokens of other tests are valid.
 */
const LONGEST = '14m';
const EMAILS = { holder: 'holder@example.org', stranger: 'stranger@example.org' };
const BATCH = 'mutation ($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { job { jobId } } }';

/** Headers of a new operator key. */
async function operatorKey(gateway: TestGateway, role: 'READ' | 'CATALOG'): Promise<Record<string, string>> {
  const mutation = `mutation { createOperatorKey(input: { name: "${role.toLowerCase()}", role: ${role} }) { key } }`;
  const { data } = await gateway.gql(mutation, {}, { 'x-admin-api-key': gateway.operatorKey });
  return { 'x-admin-api-key': data.createOperatorKey.key };
}

/** Headers with a page token of the session. */
async function pageToken(gateway: TestGateway, headers: Record<string, string>): Promise<Record<string, string>> {
  const { body } = await gateway.rest('POST', '/v1/auth/token', { headers });
  return { authorization: `Bearer ${body.token}` };
}

/** Starts the gateway and creates the data. */
export async function startWorld(options?: GatewayOptions): Promise<World> {
  const { gateway, partner, partnerId, token, issuerDid } = await startMembership(options);
  const other = await registerPartner(gateway, [issuerDid]);
  const own = { partnerId, token, rest: partner };
  const session = async (email: string) => ({ authorization: `Bearer ${await logIn(gateway, own, email)}` });
  const ended = await session(EMAILS.holder);
  await gateway.rest('POST', '/v1/auth/logout', { headers: ended });
  const holder = await session(EMAILS.holder);
  const headers = {
    nobody: {},
    expired: { 'x-partner-auth': await token({}, 'issue', '-1h') },
    ended,
    other: { 'x-partner-auth': await other.token({}, 'issue', LONGEST) },
    stranger: await session(EMAILS.stranger),
    verify: { 'x-partner-auth': await token({}, 'verify', LONGEST) },
    issue: { 'x-partner-auth': await token({}, 'issue', LONGEST) },
    holder,
    page: await pageToken(gateway, holder),
    read: await operatorKey(gateway, 'READ'),
    catalog: await operatorKey(gateway, 'CATALOG'),
    operator: { 'x-admin-api-key': gateway.operatorKey },
  };
  const subject = { issuerDid, credentialId: 'member', credentialSubject: { level: 1, since: '2024-01-01' } };
  const issue = async () => {
    const body = { ...subject, email: EMAILS.holder, onDuplicate: 'revoke' };
    const { coreClaimHash } = (await partner('POST', '/v1/credentials/issue-on-behalf', body)).body;
    return (await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${coreClaimHash}`)).body;
  };
  const [first, second] = [await issue(), await issue()];
  const rows = [{ rowKey: 'one', email: EMAILS.holder, credentialSubject: subject.credentialSubject }];
  const input = { issuerDid, credentialId: 'member', dryRun: true, rows };
  const batch = await gateway.gql(BATCH, { input }, headers.issue);
  await putProgram({ gateway }, 'levels', ['level = 1']);
  const start = async () =>
    (await gateway.rest('POST', '/v1/verifications', { body: { programId: 'levels' }, headers: headers.verify })).body;
  const verificationIds = [(await start()).verificationId, (await start()).verificationId] as const;
  for (const id of verificationIds)
    await gateway.rest('GET', `/v1/verifications/${id}/request`, { headers: headers.holder });
  const hook = async (): Promise<string> =>
    (await partner('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', types: ['revoked'], allowDuplicate: true }))
      .body.webhookId;
  const webhookIds = [await hook(), await hook(), await hook()] as const;
  const ping = await partner('POST', `/v1/webhooks/${webhookIds[0]}/test`);
  const another = await partner('POST', '/v1/credentials/issue-on-behalf', {
    ...subject,
    email: 'revoked@example.org',
  });
  const filter = { userId: another.body.userUuid };
  const revocationToken = (await partner('POST', '/v1/revocations/previews', filter)).body.token;
  const revocation = await partner('POST', '/v1/revocations', { token: revocationToken });
  const recipient = await partner('POST', '/v1/auth/initialize-user', { email: EMAILS.holder });
  return {
    gateway,
    headers,
    freshSession: async (caller) =>
      caller === 'holder' || caller === 'stranger' ? session(EMAILS[caller]) : headers[caller],
    partnerId,
    partner: own,
    other,
    holderDid: recipient.body.did,
    hashes: [first.coreClaimHash, second.coreClaimHash],
    storedIds: [first.vcDstorageId, second.vcDstorageId],
    statusListId: 'club.1',
    jobId: batch.data.issueOnBehalfBatch.job.jobId,
    webhookIds,
    deliveryId: ping.body.deliveryId,
    revocationId: revocation.body.jobId,
    revocationToken,
    verificationIds,
  };
}

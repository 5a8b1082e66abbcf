// `issue`: one credential to an e-mail address, as a partner.
import { randomUUID } from 'node:crypto';
import type { Config } from '../base/config/config.js';
import { badInput, DomainError } from '../base/errors.js';
import { isJsonObject } from '../base/json/json-object.js';
import type { BatchFileRow } from '../common/batch-row.js';
import { BatchClient } from './batch-client.js';
import { callGateway, type GatewayOptions, requireGateway } from './gateway.js';
import { parseJsonText } from './json-text.js';
import type { Report } from './output.js';
import { type TokenOptions, tokenSource } from './partner-token.js';

export interface IssueOptions extends Pick<GatewayOptions, 'url'>, TokenOptions {
  credential: string;
  email: string;
  subject: string;
  issuer?: string;
  expires?: string;
  onDuplicate?: string;
}

/** Issues on behalf of a managed issuer. @throws DomainError, one sentence; also if the holder has one, and nothing says what becomes of it. */
export async function issueOne(config: Config, options: IssueOptions): Promise<Report> {
  const { credential: credentialId, email, expires: expiresAt } = options;
  const credentialSubject = subjectOf(options.subject);
  const token = tokenSource(options);
  const url = await requireGateway(config, options);
  const issuerDid = options.issuer ?? (await issuerDidOf(url, credentialId));
  if (options.onDuplicate === undefined && isJsonObject(credentialSubject)) {
    const row = { rowKey: '1', email, credentialSubject, ...(expiresAt !== undefined && { expiresAt }) };
    await requireNone(new BatchClient(url, token), row, issuerDid, credentialId);
  }
  const onDuplicate = options.onDuplicate ?? 'ignore';
  const headers = { 'x-partner-auth': await token(), 'idempotency-key': randomUUID() };
  const body = { issuerDid, credentialId, email, credentialSubject, expiresAt, onDuplicate };
  const path = '/v1/credentials/issue-on-behalf';
  const issued = (await callGateway(url, 'POST', path, { headers, body })) as Record<string, string>;
  const status = `${url}/v1/credentials/status?coreClaimHash=${issued.coreClaimHash}`;
  return {
    json: { ...issued, status },
    lines: [
      `${credentialId} is issued to ${email}`,
      `  coreClaimHash  ${issued.coreClaimHash}`,
      `  holder         ${issued.userUuid}`,
      `  status         ${status}`,
    ],
  };
}

/** @throws DomainError CONFLICT if the recipient has a live credential of the kind. */
async function requireNone(client: BatchClient, row: BatchFileRow, issuer: string, credential: string): Promise<void> {
  const request = { issuer, credential, onDuplicate: 'ignore', dryRun: true, idempotencyKey: randomUUID() };
  const [result] = (await client.issue([row], request, { onSent: () => {} })).values();
  if (!result?.held) return;
  throw new DomainError(
    'CONFLICT',
    `${row.email} has a live credential of this kind already. Nothing was issued. Give --on-duplicate: ignore leaves it as it is, revoke revokes it, which cannot be undone, and issues this one.`,
  );
}

function subjectOf(text: string): unknown {
  try {
    return parseJsonText(text, { at: ['--subject'] });
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw badInput(`--subject ${error instanceof Error ? error.message : 'is not JSON'}.`);
  }
}

/** The DID of a credential's issuer. @throws DomainError, one sentence. */
export async function issuerDidOf(url: string, credentialId: string): Promise<string> {
  const answer = await callGateway(url, 'GET', `/v1/catalog/credentials/${encodeURIComponent(credentialId)}`);
  return (answer as { data: { issuer: { issuerDid: string } } }).data.issuer.issuerDid;
}

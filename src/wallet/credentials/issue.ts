// Issues a credential to the user who is logged in: by the gateway for a managed issuer, or by the issuer's own
// endpoint.
import { CoreServiceError } from '../../sdk/core/error.js';
import type { Present } from '../../sdk/core/screens.js';
import type { IssueCredentialOptions } from '../../sdk/core/types.js';
import { callGateway } from '../gateway.js';
import type { Envelope } from '../keys/encryption.js';
import { isSameJson } from './json.js';
import type { CredentialParts } from './parts.js';
import { issueOnce } from './unanswered.js';

/** The response of GET /v1/credentials/{id}/terms. */
export interface Terms {
  credentialId: string;
  name: string;
  issuerId: string;
  issuerDid: string;
  issuerName: string;
  schemaId: string;
  issuing: 'managed' | 'hosted' | 'none';
  cak: boolean;
  consent: string | null;
}

/** How long an issuer may take to store the credential that it issues, milliseconds. */
const STORED_MS = 30_000;
const PAUSE_MS = 1_000;
/** How long another call waits for the credential of an earlier one, instead of asking the issuer again, milliseconds. */
const GOES_ON_MS = 10 * 60_000;
/** How long the gateway gives a key its first response, milliseconds. */
const KEY_MS = 24 * 3_600_000;

type Subject = Record<string, unknown>;

/** Issues a credential. @throws CoreServiceError. */
export async function issueCredential(
  parts: CredentialParts,
  options: IssueCredentialOptions,
): Promise<{ cakPublicKey?: string }> {
  const { session, withKeys } = parts;
  const { issuerDid, credentialId } = options;
  const terms = await session.call<Terms>(`/v1/credentials/${encodeURIComponent(credentialId)}/terms`);
  if (terms.credentialId !== credentialId || terms.issuerDid !== issuerDid)
    throw new CoreServiceError('INVALID_PARAMETER', '"issuerDid" is not the issuer of this credential.');
  if (terms.issuing === 'none')
    throw new CoreServiceError('PERMISSION_NOT_ENABLED', 'This credential cannot be issued through the wallet.');
  const { subject, cakPublicKey } = await withKeys((present) => approve(parts, present, terms, options));
  if (terms.issuing === 'managed') await issueManaged(parts, options, subject);
  else await issueHosted(parts, terms, cakPublicKey);
  return cakPublicKey === undefined ? {} : { cakPublicKey };
}

/** Shows what will be issued, and completes the steps that must precede it. */
async function approve(
  parts: CredentialParts,
  present: Present,
  terms: Terms,
  options: IssueCredentialOptions,
): Promise<{ subject: Subject; cakPublicKey: string | undefined }> {
  const { session, partner, keys } = parts;
  const { id: _id, ...given } = options.credentialSubject;
  const subject = terms.issuing === 'hosted' ? await previewed(parts, terms, given) : given;
  const { issue: texts } = parts.texts();
  const isDeclined = terms.consent === 'declined';
  await present<'consent'>({
    kind: 'consent',
    partnerName: partner.name,
    title: texts.title(terms.name),
    ...(isDeclined ? { hint: texts.declined(partner.name) } : {}),
    facts: [
      { name: texts.issuer, value: terms.issuerName },
      { name: texts.did, value: terms.issuerDid },
      ...Object.entries(subject).map(([name, value]) => ({ name, value: shown(value) })),
    ],
    action: texts.action,
  });
  if (isDeclined)
    await session.call(`/v1/holders/me/partners/${partner.partnerId}`, {
      method: 'PUT',
      body: { consent: 'accepted' },
    });
  const { issuerId, schemaId, issuerDid } = terms;
  if (!terms.cak) return { subject, cakPublicKey: undefined };
  const { curve = 'secp256r1' } = options;
  return { subject, cakPublicKey: await keys.registerCak(present, { issuerId, issuerDid, schemaId, curve }) };
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

interface Preview {
  schemaId: string;
  credentialSubject: { encryptedData: string; iv: string; authTag: string; dataEncPublicKey: string };
}

/**
 * The content that the issuer has for the holder. @throws CoreServiceError INVALID_PARAMETER if the page passed other
 * content.
 */
async function previewed(parts: CredentialParts, terms: Terms, given: Subject): Promise<Subject> {
  const { session, keys } = parts;
  const { issuerId, schemaId } = terms;
  const query = new URLSearchParams({ issuerId, schemaId });
  const path = `/v1/credentials/available?${query}`;
  const { items, unavailable } = await session.call<{ items: Preview[]; unavailable: string[] }>(path);
  if (unavailable.length > 0) throw new CoreServiceError('TIMEOUT', 'The issuer does not respond; try again later.');
  const preview = items.find((one) => one.schemaId === schemaId);
  if (preview === undefined)
    throw new CoreServiceError('CLIENT_ERROR', 'The issuer has no such credential for this user.');
  const { encryptedData, iv, authTag, dataEncPublicKey } = preview.credentialSubject;
  const envelope: Envelope = { data: encryptedData, iv, authTag, encryptedKey: dataEncPublicKey };
  const text = await keys.decrypt(envelope);
  const { id: _id, ...subject } = JSON.parse(text ?? 'null') ?? {};
  if (text === null) throw new CoreServiceError('INTERNAL_SERVER_ERROR', 'The issuer’s preview cannot be read.');
  if (Object.keys(given).length > 0 && !isSameJson(given, subject))
    throw new CoreServiceError('INVALID_PARAMETER', '"credentialSubject" is not what the issuer has; leave it empty.');
  return subject;
}

async function issueManaged(
  parts: CredentialParts,
  { authToken, issuerDid, credentialId }: IssueCredentialOptions,
  credentialSubject: Subject,
): Promise<void> {
  const { id: userId } = parts.session.requireLogin();
  const body = { issuerDid, credentialId, credentialSubject, userId };
  await issueOnce(parts, { body, lastingMs: KEY_MS }, ({ key }) =>
    callGateway('/v1/credentials/issue-on-behalf', {
      method: 'POST',
      authToken,
      headers: { 'idempotency-key': key },
      body,
    }),
  );
}

async function issueHosted(
  parts: CredentialParts,
  { issuerId, schemaId }: Terms,
  cakPublicKey: string | undefined,
): Promise<void> {
  const { session } = parts;
  const stored = async (): Promise<string[]> => {
    const path = `/v1/holders/me/credentials?${new URLSearchParams({ schemaId })}`;
    return (await session.call<{ items: { id: string }[] }>(path)).items.map(({ id }) => id);
  };
  const body = { issuerId, schemaId, ...(cakPublicKey === undefined ? {} : { cakPublicKey }) };
  await issueOnce(parts, { body, lastingMs: GOES_ON_MS, stored }, async ({ key, before }) => {
    const call = { method: 'POST', headers: { 'idempotency-key': key }, body } as const;
    await session.call('/v1/credentials/issue', call);
    for (const end = Date.now() + STORED_MS; Date.now() < end; ) {
      if ((await stored()).some((id) => !before.includes(id))) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    throw new CoreServiceError('TIMEOUT', 'The issuer has not stored the credential yet; it goes on.');
  });
}

// Issues a credential to the user who is logged in: by the gateway for a managed issuer, or by the issuer's own
// endpoint.
import { CoreServiceError } from '../../sdk/core/error.js';
import type { IssueCredentialOptions } from '../../sdk/core/types.js';
import { callGateway } from '../gateway.js';
import type { Envelope } from '../keys/encryption.js';
import { consentsOf } from '../texts-consents.js';
import { beforeClick, NothingToApprove } from './before-click.js';
import { isSameJson } from './json.js';
import type { CredentialParts, FlowDialog } from './parts.js';
import { TakenUp } from './taken-up.js';
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
type Issued = { cakPublicKey?: string };

/** Issuances that are under way, by their request: another call waits for them. */
const underWay = new TakenUp<Done>();

/** Issues a credential. A call after one that was closed once it had sent the request has the result of that one. @throws CoreServiceError. */
export async function issueCredential(parts: CredentialParts, options: IssueCredentialOptions): Promise<Issued> {
  const { authToken: _authToken, ...request } = options;
  const name = JSON.stringify([parts.session.requireLogin().id, request]);
  const running = await underWay.take(name)?.catch(() => undefined);
  if (running) return heard(parts, running);
  let sent: Promise<Done> | undefined;
  const done = await parts.inDialog(async (dialog) => {
    const terms = await termsFor(parts, options);
    await dialog.ensureKeys();
    const approved = await approve(parts, dialog, terms, options);
    // Throws if the user has closed the dialog meanwhile: nothing is sent then.
    dialog.progress();
    sent = underWay.keep(name, issue(parts, options, terms, approved));
    return sent;
  });
  if (sent) underWay.heard(name, sent);
  return heard(parts, done);
}

/** An issuance that is done, with its idempotency key. */
interface Done {
  issued: Issued;
  key: string;
}

/** The page gets the result. */
function heard({ approved }: CredentialParts, { issued, key }: Done): Issued {
  approved(key);
  return issued;
}

/** What is issued. It depends on the catalog alone. @throws CoreServiceError INVALID_PARAMETER, PERMISSION_NOT_ENABLED. */
async function termsFor(
  { session }: CredentialParts,
  { issuerDid, credentialId }: IssueCredentialOptions,
): Promise<Terms> {
  const terms = await session.call<Terms>(`/v1/credentials/${encodeURIComponent(credentialId)}/terms`);
  if (terms.credentialId !== credentialId || terms.issuerDid !== issuerDid)
    throw new CoreServiceError('INVALID_PARAMETER', '"issuerDid" is not the issuer of this credential.');
  if (terms.issuing === 'none')
    throw new CoreServiceError('PERMISSION_NOT_ENABLED', 'This credential cannot be issued through the wallet.');
  return terms;
}

interface Approved {
  subject: Subject;
  cakPublicKey: string | undefined;
}

async function issue(
  parts: CredentialParts,
  options: IssueCredentialOptions,
  terms: Terms,
  { subject, cakPublicKey }: Approved,
): Promise<Done> {
  const issuing =
    terms.issuing === 'managed' ? issueManaged(parts, options, subject) : issueHosted(parts, terms, cakPublicKey);
  return { key: await issuing, issued: cakPublicKey === undefined ? {} : { cakPublicKey } };
}

/** Shows what will be issued, and completes the steps that must precede it. */
async function approve(
  parts: CredentialParts,
  { present, progress }: FlowDialog,
  terms: Terms,
  options: IssueCredentialOptions,
): Promise<Approved> {
  const { partner, keys } = parts;
  const { id: _id, ...given } = options.credentialSubject;
  const isHosted = terms.issuing === 'hosted';
  const subject = isHosted ? await beforeClick(parts, present, () => previewed(parts, terms, given)) : given;
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
  progress();
  if (isDeclined)
    await keys.call(present, `/v1/holders/me/partners/${partner.partnerId}`, {
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

/** The content that the issuer has for the holder. @throws NothingToApprove also if the page passed other content. */
async function previewed(parts: CredentialParts, terms: Terms, given: Subject): Promise<Subject> {
  const { session, keys, partner } = parts;
  const { issuerId, schemaId, issuerName } = terms;
  const { notice } = consentsOf(parts.locale());
  const query = new URLSearchParams({ issuerId, schemaId });
  const path = `/v1/credentials/available?${query}`;
  const { items, unavailable } = await session.call<{ items: Preview[]; unavailable: string[] }>(path);
  if (unavailable.length > 0) throw new NothingToApprove(notice.away(issuerName));
  const preview = items.find((one) => one.schemaId === schemaId);
  if (preview === undefined) throw new NothingToApprove(notice.nothing(issuerName));
  const { encryptedData, iv, authTag, dataEncPublicKey } = preview.credentialSubject;
  const envelope: Envelope = { data: encryptedData, iv, authTag, encryptedKey: dataEncPublicKey };
  const text = await keys.decrypt(envelope);
  const { id: _id, ...subject } = JSON.parse(text ?? 'null') ?? {};
  if (text === null) throw new NothingToApprove(notice.unreadable(issuerName));
  if (Object.keys(given).length > 0 && !isSameJson(given, subject))
    throw new NothingToApprove(notice.differs(partner.name, issuerName));
  return subject;
}

async function issueManaged(
  parts: CredentialParts,
  { authToken, issuerDid, credentialId }: IssueCredentialOptions,
  credentialSubject: Subject,
): Promise<string> {
  const { id: userId } = parts.session.requireLogin();
  const body = { issuerDid, credentialId, credentialSubject, userId };
  return issueOnce(parts, { body, lastingMs: KEY_MS }, ({ key }) =>
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
): Promise<string> {
  const { session } = parts;
  const stored = async (): Promise<string[]> => {
    const path = `/v1/holders/me/credentials?${new URLSearchParams({ schemaId })}`;
    return (await session.call<{ items: { id: string }[] }>(path)).items.map(({ id }) => id);
  };
  const body = { issuerId, schemaId, ...(cakPublicKey === undefined ? {} : { cakPublicKey }) };
  return issueOnce(parts, { body, lastingMs: GOES_ON_MS, stored }, async ({ key, before }) => {
    const call = { method: 'POST', headers: { 'idempotency-key': key }, body } as const;
    await session.call('/v1/credentials/issue', call);
    for (const end = Date.now() + STORED_MS; Date.now() < end; ) {
      if ((await stored()).some((id) => !before.includes(id))) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    throw new CoreServiceError('TIMEOUT', 'The issuer has not stored the credential yet; it goes on.');
  });
}

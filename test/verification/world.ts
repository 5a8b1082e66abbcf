// A partner that verifies, holders with provable credentials, and proofs made as a holder's device makes them: from the request alone.
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import canonicalize from 'canonicalize';
import { fromBase64url, loadSuite, type ProofTerms } from '../../src/zk/index.js';
import type { GatewayOptions, RestAnswer, TestGateway } from '../support/gateway.js';
import { decrypt } from '../support/holder-device.js';
import { type Membership, SCHEMA, startMembership } from '../support/membership.js';
import { logIn, type TestPartner } from '../support/partner.js';
import { prove } from '../support/prover.js';

export const suite = await loadSuite();

/** What a device of a holder has. */
export interface Holder {
  email: string;
  userId: string;
  headers: Record<string, string>;
  key: KeyObject;
}

/** A credential as its holder decrypts it. */
export interface HeldCredential {
  coreClaimHash: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read claims of every shape.
  claim: any;
  zk: { schemaId: string; schemaVersion: number; kid: string; signature: string };
}

/** The three members of an answer with a proof. */
export interface Proof {
  coreClaimHash: string;
  presentation: string;
  opening: string;
}

export const SUBJECT = { level: 3, since: '2024-02-29', note: 'gold' };
/** The cheapest proof: one value is disclosed. */
export const PROGRAM = 'level-three';

/** What the helpers need of a gateway: one of this process, or one of another. */
export interface Reach {
  gateway: Pick<TestGateway, 'rest' | 'admin' | 'url'>;
  partner: TestPartner;
  issuerDid: string;
}

/** Registers a program that accepts `member` under these conditions. */
export async function putProgram(
  { gateway }: Pick<Reach, 'gateway'>,
  programId: string,
  conditions: string[],
  more: object = {},
): Promise<RestAnswer> {
  await gateway.admin('PUT', '/v1/admin/verifiers/agency', {
    body: { name: 'Agency', verifierDid: 'did:web:agency.example' },
  });
  const acceptedCredentials = [{ credentialId: 'member', verificationConditions: conditions }];
  const body = { name: programId, description: '', verifierId: 'agency', acceptedCredentials, pricingModel: 'Free' };
  const answer = await gateway.admin('PUT', `/v1/admin/programs/${programId}`, { body: { ...body, ...more } });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer;
}

export interface World extends Reach {
  partnerId: string;
  gateway: TestGateway;
}

/** Starts a gateway with the credential `member` and the program `level-three`. */
export async function startWorld(options?: GatewayOptions): Promise<World> {
  return worldOf(await startMembership(options));
}

/** The same over a membership. */
export async function worldOf(membership: Membership): Promise<World> {
  const { gateway, issuerDid, partnerId, token, partner: rest } = membership;
  const world: World = { gateway, issuerDid, partnerId, partner: { partnerId, token, rest } };
  await putProgram(world, PROGRAM, ['level = 3']);
  return world;
}

/** A call with a partner token of scope verify. */
export async function asVerifier(
  { gateway, partner }: Reach,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<RestAnswer> {
  const token = await partner.token({}, 'verify');
  return gateway.rest(method, path, { body, headers: { 'x-partner-auth': token, ...headers } });
}

/** Logs a holder in through the partner, with the key that its credentials are encrypted to. */
export async function holderOf({ gateway, partner }: Reach, email: string): Promise<Holder> {
  const { userId } = (await partner.rest('POST', '/v1/auth/initialize-user', { email })).body;
  const headers = { authorization: `Bearer ${await logIn(gateway as TestGateway, partner, email)}` };
  const device = generateKeyPairSync('x25519');
  const devicePublicKey = `0x${device.publicKey.export({ format: 'der', type: 'spki' }).toString('hex')}`;
  const { body } = await gateway.rest('POST', '/v1/holders/me/key', { body: { devicePublicKey }, headers });
  const { encryptedData: data, iv, authTag, dataEncPublicKey } = body.wrappedKey;
  const pkcs8 = decrypt(device.privateKey, { data, iv, authTag, key: dataEncPublicKey });
  return { email, userId, headers, key: createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }) };
}

/** Issues to a holder and decrypts what it got. */
export async function issueTo(
  reach: Reach,
  holder: Holder,
  credentialSubject: object = SUBJECT,
  more: object = {},
): Promise<HeldCredential> {
  const { partner, issuerDid } = reach;
  const body = { issuerDid, credentialId: 'member', credentialSubject, email: holder.email, ...more };
  const issued = await partner.rest('POST', '/v1/credentials/issue-on-behalf', body);
  if (issued.status !== 200) throw new Error(JSON.stringify(issued.body));
  return heldBy(reach, holder, issued.body.coreClaimHash);
}

/** A credential of a holder, as it decrypts it. */
export async function heldBy(
  { gateway }: Pick<Reach, 'gateway'>,
  { headers, key }: Holder,
  issuedHash: string,
): Promise<HeldCredential> {
  const status = await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${issuedHash}`);
  const stored = await gateway.rest('GET', `/v1/holders/me/credentials/${status.body.vcDstorageId}`, { headers });
  const { coreClaim, zk } = JSON.parse(decrypt(key, { ...stored.body, key: stored.body.encryptedKey }).toString());
  const coreClaimHash = createHash('sha256')
    .update(canonicalize(coreClaim) ?? '')
    .digest('hex');
  return { coreClaimHash, claim: coreClaim, zk };
}

/** Starts a verification; answers its id. */
export async function startOf(reach: Reach, more: object = {}): Promise<string> {
  const { status, body } = await asVerifier(reach, 'POST', '/v1/verifications', { programId: PROGRAM, ...more });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.verificationId;
}

export const requestOf = ({ gateway }: Pick<Reach, 'gateway'>, { headers }: Holder, id: string): Promise<RestAnswer> =>
  gateway.rest('GET', `/v1/verifications/${id}/request`, { headers });

export const answerTo = (
  { gateway }: Pick<Reach, 'gateway'>,
  { headers }: Holder,
  id: string,
  body: object,
): Promise<RestAnswer> => gateway.rest('POST', `/v1/verifications/${id}/answer`, { body, headers });

const encodings = new Map<string, ProofTerms['points']>();

/** The encoding of a credential's schema version, which never changes: read once. */
export async function pointsOf(
  { gateway }: Pick<Reach, 'gateway'>,
  { zk }: HeldCredential,
): Promise<ProofTerms['points']> {
  const path = `/v1/schemas/${encodeURIComponent(SCHEMA.$id)}/versions/${zk.schemaVersion}/encoding`;
  const points = encodings.get(path) ?? (await gateway.rest('GET', path)).body.points;
  encodings.set(path, points);
  return points;
}

/** The terms of a request for a credential. */
export async function termsOf(
  reach: Pick<Reach, 'gateway'>,
  // biome-ignore lint/suspicious/noExplicitAny: requests as they came.
  request: any,
  credential: HeldCredential,
): Promise<ProofTerms> {
  const points = await pointsOf(reach, credential);
  const [{ credentialId, conditions, accumulators }] = request.accepted;
  const { schemaId, schemaVersion, kid } = credential.zk;
  return { challenge: request.challenge, credentialId, schemaId, schemaVersion, kid, points, conditions, accumulators };
}

/** Proves terms of a credential. */
export async function proofOf(terms: ProofTerms, { coreClaimHash, claim, zk }: HeldCredential): Promise<Proof> {
  const { schemaId, schemaVersion } = zk;
  const { credentialSubject } = claim;
  const signature = fromBase64url(zk.signature) ?? new Uint8Array();
  const facts = { coreClaimHash, schemaId, schemaVersion, credentialSubject };
  return { coreClaimHash, ...(await prove(terms, { claim: facts, signature })) };
}

/** Fetches the request of a verification and proves it. */
export async function proofFor(reach: Reach, holder: Holder, credential: HeldCredential, id: string): Promise<Proof> {
  const { status, body } = await requestOf(reach, holder, id);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return proofOf(await termsOf(reach, body, credential), credential);
}

export const recordOf = async (reach: Reach, id: string, wait = 0): Promise<RestAnswer['body']> =>
  (await asVerifier(reach, 'GET', `/v1/verifications/${id}?wait=${wait}`)).body;

/** The record, once it is closed. */
export async function closedOf(reach: Reach, id: string): Promise<RestAnswer['body']> {
  for (;;) {
    const record = await recordOf(reach, id, 30);
    if (record.state === 'closed') return record;
  }
}

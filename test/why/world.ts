// A gateway with partners that own one of everything, and every operation of partners as a request that only the rules can refuse.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { PartnerOperation } from '../../src/base/callers/partner-operations.js';
import { encodePresentation, PRESENTATION_SUITE, toBase64url } from '../../src/zk/index.js';
import type { GraphqlAnswer, RestAnswer } from '../support/gateway.js';
import { encrypt } from '../support/holder-device.js';
import { EMAIL, type Membership, SCHEMA, startMembership } from '../support/membership.js';
import { logIn } from '../support/partner.js';
import { putProgram } from '../verification/world.js';

const OWN_DID = 'did:web:own.example';
const SUBJECT = { level: 1, since: '2024-01-01' };

/** What the requests are about: a case may change it. */
export interface About {
  issuerDid: string;
  credentialId: string;
  claimIssuerDid: string;
  claimCredentialId: string;
  cakIssuerDid: string;
  cakIssuerId: string;
  userId: string;
  programId: string;
  redirectUrl?: string;
  coreClaimHash: string;
}

/** One outcome of a real request. */
export interface Outcome {
  isRefused: boolean;
  message: string;
}

export interface OwnPartner {
  partnerId: string;
  /** Things that it owns. */
  coreClaimHash: string;
  /** A batch to read and retry, and one to cancel. */
  jobId: string;
  cancelId: string;
  packages: string[];
  /** Tokens of previews that are not used. */
  previews: string[];
  revocationId: string;
  offerId: string;
  record: object;
  sign(claims?: object, header?: object, key?: CryptoKey): Promise<string>;
}

export interface WhyWorld extends Membership {
  about: Omit<About, 'coreClaimHash'>;
  holder: { userId: string; did: string; publicKey: string; headers: Record<string, string> };
  put(path: string, body: object): Promise<void>;
  /** @param uses how often what can be used once will be used */
  makePartner(uses?: number): Promise<OwnPartner>;
}

export const seconds = (from = 0): number => Math.floor(Date.now() / 1_000) + from;

/** Starts it. */
export async function startWhyWorld(): Promise<WhyWorld> {
  const membership = await startMembership();
  const { gateway, partner, token, partnerId } = membership;
  const put = async (path: string, body: object): Promise<void> => {
    const answer = await gateway.admin('PUT', `/v1/admin/${path}`, { body });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  };
  const credential = { name: 'Own', category: 'Club', schemaId: SCHEMA.$id };
  await put('issuers/own', { name: 'Own', issuerFrom: 'test', issuerDid: OWN_DID });
  await put('credentials/own-member', { ...credential, issuerId: 'own', cak: true });
  const past = { accessibleStart: '2020-01-01T00:00:00Z', accessibleEnd: '2020-02-01T00:00:00Z' };
  await put('credentials/ended', { ...credential, issuerId: 'club', ...past });
  await put('credentials/own-ended', { ...credential, issuerId: 'own', ...past });
  await put('credentials/scarce', { ...credential, issuerId: 'club', maximumIssuance: 1 });
  await putProgram({ gateway }, 'levels', ['level = 1']);
  const own = { partnerId, token, rest: partner };
  const holder = (await partner('POST', '/v1/auth/initialize-user', { email: EMAIL })).body;
  const headers = { authorization: `Bearer ${await logIn(gateway, own, EMAIL)}` };
  const { publicKey: cakPublicKey } = await cakKey();
  const cak = { issuerId: 'own', schemaId: SCHEMA.$id, curve: 'secp256r1', publicKey: cakPublicKey };
  const { status } = await gateway.rest('PUT', '/v1/holders/me/cak', { body: cak, headers });
  if (status !== 200) throw new Error('the CAK was refused');
  await partner('POST', '/v1/credentials/issue-on-behalf', {
    ...{ issuerDid: membership.issuerDid, credentialId: 'scarce', credentialSubject: SUBJECT, userId: holder.userId },
  });
  const about = {
    issuerDid: membership.issuerDid,
    credentialId: 'member',
    claimIssuerDid: OWN_DID,
    claimCredentialId: 'own-member',
    cakIssuerDid: OWN_DID,
    cakIssuerId: 'own',
    userId: holder.userId,
    programId: 'levels',
  };
  const world = { ...membership, about, holder: { ...holder, headers }, put };
  return { ...world, makePartner: (uses) => makePartner(world, uses) };
}

async function cakKey(): Promise<{ publicKey: string }> {
  const { deriveCak } = await import('../../src/zk/cak.js');
  const purpose = { curve: 'secp256r1', holderDid: 'did:x:1', issuerDid: OWN_DID, schemaId: SCHEMA.$id } as const;
  return { publicKey: deriveCak(new Uint8Array(32).fill(1), purpose).publicKey };
}

type Base = Omit<WhyWorld, 'makePartner'>;

async function makePartner(world: Base, uses = 1): Promise<OwnPartner> {
  const partnerId = randomUUID();
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
  const record = {
    ...{ name: 'P', jwks: { keys: [jwk] }, scopes: ['issue', 'verify'], issuerDids: [world.issuerDid, OWN_DID] },
    ...{ issueOnBehalf: true, allowedOrigins: ['https://own.example'], requireTyp: true },
  };
  await world.put(`partners/${partnerId}`, record);
  const sign = (claims: object = {}, header: object = {}, key: CryptoKey = privateKey): Promise<string> =>
    new SignJWT({ partnerId, scope: 'issue verify', exp: seconds(300), ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k1', ...header })
      .sign(key);
  const bare = {
    partnerId,
    coreClaimHash: '',
    jobId: '',
    cancelId: '',
    packages: [],
    previews: [],
    revocationId: '',
    offerId: '',
    record,
    sign,
  };
  const token = await sign();
  const about = { ...world.about, coreClaimHash: '' };
  const { coreClaimHash } = (await ACTS.issueOnBehalf(world, bare, token, about)).body;
  const batch = async (): Promise<string> =>
    (await ACTS.issueOnBehalfBatch(world, bare, token, about)).body.data.issueOnBehalfBatch.job.jobId;
  const [jobId, cancelId] = [await batch(), await batch()];
  const times = Array.from({ length: uses + 1 });
  const packages = await Promise.all(times.map(() => stored(world, bare, token)));
  const previews = await Promise.all(
    times.map(async () => (await ACTS.previewRevocation(world, bare, token, about)).body.token),
  );
  const revocation = await ACTS.confirmRevocation(world, { ...bare, previews }, token, about);
  const { offerId } = (await ACTS.createOffer(world, bare, token, about)).body;
  return { ...bare, coreClaimHash, jobId, cancelId, packages, previews, revocationId: revocation.body.jobId, offerId };
}

async function stored(world: Base, own: OwnPartner, token: string): Promise<string> {
  const { body } = await call(world, token, 'POST', '/v1/dstorage/vcs', await packageOf(world));
  if (body.storagePath === undefined) throw new Error(`nothing was stored for ${own.partnerId}`);
  return body.storagePath.split('/').at(-1);
}

async function packageOf({ holder }: Base): Promise<Record<string, unknown>> {
  const facts = { holderDid: holder.did, schemaId: SCHEMA.$id, expiresAt: null, externalId: randomUUID() };
  return { ...facts, ...encrypt('a package', holder.publicKey) };
}

const call = (world: Base, token: string, method: string, path: string, body?: unknown): Promise<RestAnswer> =>
  world.gateway.rest(method, path, { body, headers: { 'x-partner-auth': token } });

async function ask(world: Base, token: string, query: string, variables: object): Promise<RestAnswer> {
  const headers = { 'x-partner-auth': token };
  const answer: GraphqlAnswer & { error?: number; message?: string } = await world.gateway.gql(
    query,
    variables as Record<string, unknown>,
    headers,
  );
  const [error] = answer.errors ?? [];
  const status = error ? Number(error.extensions.httpStatus) : answer.status;
  return { status, headers: new Headers(), body: { ...answer, message: error?.message ?? answer.message } };
}

/** A presentation of nothing that is known here. */
const NO_PROOF = encodePresentation({
  ...{ v: 1, suite: PRESENTATION_SUITE, verificationId: 'v', nonce: toBase64url(new Uint8Array(32)) },
  ...{ now: new Date(0).toISOString(), partnerId: 'p', programId: 'g', programVersion: 'x', credentialId: 'c' },
  ...{ schemaId: 's', schemaVersion: 1, kid: 'k', sides: [], proof: 'AA' },
  commitment: toBase64url(new Uint8Array(48)),
});

type Act = (world: Base, own: OwnPartner, token: string, about: About) => Promise<RestAnswer>;

const MEMBERS = { credentialId: 'member' };
const BATCH = 'mutation ($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { job { jobId } } }';
const ofBatch = (field: string) => `mutation ($input: BatchInput!) { ${field}(input: $input) { job { jobId } } }`;

/** Each operation as a request. */
export const ACTS: Readonly<Record<PartnerOperation, Act>> = {
  initializeUser: (world, _own, token) => call(world, token, 'POST', '/v1/auth/initialize-user', { email: EMAIL }),
  issueOnBehalf: (world, _own, token, { issuerDid, credentialId, userId }) =>
    call(world, token, 'POST', '/v1/credentials/issue-on-behalf', {
      ...{ issuerDid, credentialId, credentialSubject: SUBJECT, userId },
    }),
  createOffer: (world, _own, token, { issuerDid, credentialId, userId }) =>
    call(world, token, 'POST', '/v1/offers', {
      ...{ issuerDid, credentialId, credentialSubject: SUBJECT, userId, txCode: 'partner' },
    }),
  offers: (world, _own, token) => call(world, token, 'GET', '/v1/offers'),
  // Withdrawing twice changes nothing more.
  withdrawOffer: (world, { offerId }, token) => call(world, token, 'DELETE', `/v1/offers/${offerId}`),
  issueOnBehalfBatch: (world, _own, token, { issuerDid, credentialId, userId }) => {
    const rows = [{ rowKey: '1', userId, credentialSubject: SUBJECT }];
    return ask(world, token, BATCH, { input: { issuerDid, credentialId, dryRun: true, rows } });
  },
  batch: (world, { jobId }, token) =>
    ask(world, token, 'query ($jobId: String!) { batch(jobId: $jobId) { jobId } }', { jobId }),
  retryBatch: (world, { jobId }, token) => ask(world, token, ofBatch('retryBatch'), { input: { jobId } }),
  cancelBatch: (world, { cancelId }, token) =>
    ask(world, token, ofBatch('cancelBatch'), { input: { jobId: cancelId } }),
  async storeCredential(world, _own, token, { claimIssuerDid: issuerDid, claimCredentialId: credentialId }) {
    const coreClaimHash = createHash('sha256').update(randomBytes(8)).digest('hex');
    const revocationNonce = String(randomBytes(6).readUIntBE(0, 6));
    const claim = { issuerDid, credentialId, coreClaimHash, revocationNonce };
    return call(world, token, 'POST', '/v1/dstorage/vcs', { ...(await packageOf(world)), claim });
  },
  storedPackages: (world, _own, token) => call(world, token, 'GET', '/v1/dstorage/vcs'),
  async deletePackage(world, own, token) {
    const answer = await call(world, token, 'DELETE', `/v1/dstorage/vcs/${own.packages[0]}`);
    if (answer.status === 204) own.packages.shift();
    return answer;
  },
  revokeCredential: (world, _own, token, { coreClaimHash }) =>
    call(world, token, 'POST', '/v1/credentials/revoke', { coreClaimHash }),
  previewRevocation: (world, _own, token) => call(world, token, 'POST', '/v1/revocations/previews', MEMBERS),
  async confirmRevocation(world, { previews }, token) {
    const answer = await call(world, token, 'POST', '/v1/revocations', { token: previews[0] });
    if (answer.status === 202) previews.shift();
    return answer;
  },
  revocationJob: (world, { revocationId }, token) => call(world, token, 'GET', `/v1/revocations/${revocationId}`),
  cakKey: (world, _own, token, { userId, cakIssuerId }) =>
    call(
      world,
      token,
      'GET',
      `/v1/holders/${userId}/cak?issuerId=${cakIssuerId}&schemaId=${encodeURIComponent(SCHEMA.$id)}`,
    ),
  startVerification: (world, _own, token, { programId, userId, redirectUrl }) =>
    call(world, token, 'POST', '/v1/verifications', { programId, userId, ...(redirectUrl ? { redirectUrl } : {}) }),
  checkProof: (world, _own, token) => call(world, token, 'POST', '/v1/verifications/check', { zkProof: NO_PROOF }),
  verifications: (world, _own, token) => call(world, token, 'GET', '/v1/verifications'),
  webhooks: (world, _own, token) => call(world, token, 'GET', '/v1/webhooks'),
};

/** What a question about an operation names. */
export function questionOf(operation: PartnerOperation, about: About): Record<string, string> {
  const { issuerDid, credentialId, userId, programId, coreClaimHash, redirectUrl } = about;
  const questions: Partial<Record<PartnerOperation, Record<string, string>>> = {
    issueOnBehalf: { issuerDid, credentialId, userId },
    createOffer: { issuerDid, credentialId, userId },
    issueOnBehalfBatch: { issuerDid, credentialId },
    storeCredential: { issuerDid: about.claimIssuerDid, credentialId: about.claimCredentialId, userId },
    revokeCredential: { coreClaimHash },
    cakKey: { issuerDid: about.cakIssuerDid, schemaId: SCHEMA.$id, userId },
    startVerification: { programId, userId, ...(redirectUrl ? { redirectUrl } : {}) },
  };
  return { operation, ...questions[operation] };
}

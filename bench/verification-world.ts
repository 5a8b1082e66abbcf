// A gateway with programs, holders and claims to verify. The issuer signs for itself, so that a claim is known here without its holder's key.
import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import canonicalize from 'canonicalize';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { type GatewayProcess, OPERATOR_KEY } from './gateway-process.js';
import { moduleOf } from './modules.js';

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, and modules that are loaded by their address.
export type Any = any;

const RANGES = 8;
const LIST = Array.from({ length: 256 }, (_, at) => at);
/** Conditions by program. */
const PROGRAMS = {
  one: ['n0 >= 18'],
  eight: Array.from({ length: RANGES }, (_, at) => `n${at} >= 18`),
  list: [`n0 in [${LIST.join(',')}]`],
} as const;
export type ProgramName = keyof typeof PROGRAMS;

const NUMBERS = Array.from({ length: RANGES }, (_, at) => `n${at}`);
const SUBJECT = Object.fromEntries(NUMBERS.map((name) => [name, 42]));
const ISSUER_DID = 'did:web:bench.example';
const PARTNER = randomUUID();
/** A holder may answer 30 times in ten minutes. */
const ANSWERS_OF_HOLDER = 28;
const RETRY_MS = 1_000;

interface Holder {
  headers: Record<string, string>;
  claim: Any;
  signature: Uint8Array;
  answers: number;
}

/** An answer that is ready to be sent. */
export interface ReadyAnswer {
  terms: Any;
  presentation: string;
  /** Sends it; resolves when the gateway has decided. @throws Error unless the proof is found valid. */
  send(): Promise<void>;
}

/** A gateway with the three programs. */
export class VerificationWorld {
  readonly #holders: Holder[] = [];

  private constructor(
    private readonly url: string,
    private readonly token: (scope: string, claims?: object) => Promise<string>,
    private readonly points: Any[],
    readonly suite: Any,
    private readonly key: { secretKey: Uint8Array; publicKey: Uint8Array },
  ) {}

  /** Writes catalog and partner into a fresh gateway. */
  static async over(gateway: GatewayProcess): Promise<VerificationWorld> {
    const { loadSuite, publicKeyMultibase } = await moduleOf('zk/index');
    const suite = await loadSuite();
    const key = suite.newKey();
    const zkKeys = [{ kid: 'key-1', publicKeyMultibase: publicKeyMultibase(key.publicKey) }];
    await gateway.put('issuers/own', { name: 'Own', issuerFrom: 'bench', issuerDid: ISSUER_DID, zkKeys });
    const dataPoints = NUMBERS.map((name) => ({ name, type: 'integer', isRequired: true, description: '' }));
    await gateway.put('schemas/bench', { title: 'Bench', description: '', dataPoints });
    await gateway.put('credentials/own', { name: 'Own', category: 'B', issuerId: 'own', schemaId: 'bench' });
    await gateway.put('verifiers/bench', { name: 'Bench', verifierDid: 'did:web:verifier.example' });
    for (const [programId, verificationConditions] of Object.entries(PROGRAMS)) {
      const acceptedCredentials = [{ credentialId: 'own', verificationConditions }];
      const body = { name: programId, description: '', verifierId: 'bench', acceptedCredentials, pricingModel: 'Free' };
      await gateway.put(`programs/${programId}`, body);
    }
    const keys = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
    const rights = { scopes: ['issue', 'verify'], issuerDids: [ISSUER_DID], issueOnBehalf: true };
    await gateway.put(`partners/${PARTNER}`, { name: 'Bench', jwks: { keys: [jwk] }, ...rights });
    const token = (scope: string, claims: object = {}) =>
      new SignJWT({ partnerId: PARTNER, scope, ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k' })
        .setExpirationTime('14m')
        .sign(keys.privateKey);
    const { points } = (await gateway.get('/v1/schemas/bench/versions/1/encoding')) as Any;
    return new VerificationWorld(gateway.url, token, points, suite, key);
  }

  get publicKey(): Uint8Array {
    return this.key.publicKey;
  }

  /** Starts a verification of a program and proves it. */
  async proved(programId: ProgramName): Promise<ReadyAnswer> {
    const holder = await this.#holder();
    const auth = { 'x-partner-auth': await this.token('verify') };
    const { verificationId } = await this.#call('POST', '/v1/verifications', { programId }, auth);
    const path = `/v1/verifications/${verificationId}`;
    const request = await this.#call('GET', `${path}/request`, undefined, holder.headers);
    const [{ credentialId, conditions, accumulators }] = request.accepted;
    const { schemaId, schemaVersion, coreClaimHash } = holder.claim;
    const claimed = { credentialId, schemaId, schemaVersion, kid: 'key-1', points: this.points };
    const terms = { challenge: request.challenge, ...claimed, conditions, accumulators };
    const { presentation, opening } = this.suite.prove(terms, { claim: holder.claim, signature: holder.signature });
    const body = { coreClaimHash, presentation, opening };
    const send = async (): Promise<void> => {
      const answered = this.#call('POST', `${path}/answer`, body, holder.headers);
      // A lost response is asked for again.
      const { result } = await answered.catch(() => this.#call('GET', path, undefined, holder.headers));
      if (result.status !== 'Pending') throw new Error(`an honest proof ended ${result.status}`);
    };
    return { terms, presentation, send };
  }

  async #holder(): Promise<Holder> {
    const last = this.#holders.at(-1);
    const holder = last && last.answers < ANSWERS_OF_HOLDER ? last : await this.#newHolder();
    if (holder !== last) this.#holders.push(holder);
    holder.answers += 1;
    return holder;
  }

  async #newHolder(): Promise<Holder> {
    const email = `${randomUUID()}@bench.example`;
    const asPartner = async (claims?: object) => ({ 'x-partner-auth': await this.token('issue', claims) });
    const { did } = await this.#call('POST', '/v1/auth/initialize-user', { email }, await asPartner());
    const { loginId } = await this.#call('POST', '/v1/auth/login', {}, await asPartner({ email }));
    const operator = { 'x-admin-api-key': OPERATOR_KEY };
    const { messages } = await this.#call('GET', `/v1/sandbox/mailbox?email=${email}`, undefined, operator);
    const session = await this.#call('POST', '/v1/auth/verify', { loginId, code: messages.at(-1).code });
    const { coreClaimHash, body } = storedClaim(did);
    await this.#call('POST', '/v1/dstorage/vcs', body, await asPartner());
    const claim = { coreClaimHash, schemaId: 'bench', schemaVersion: 1, credentialSubject: SUBJECT };
    const signature = this.suite.sign(claim, this.points, this.key.secretKey);
    return { headers: { authorization: `Bearer ${session.token}` }, claim, signature, answers: 0 };
  }

  async #call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Any> {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(this.url + path, { method, headers: { ...type, ...headers }, ...sent });
    // On a machine that is busy with other things the store may be late; nothing is spent, and clients send such a request again.
    if (answer.status === 503) {
      await answer.text();
      await delay(RETRY_MS);
      return this.#call(method, path, body, headers);
    }
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}

/** A claim, and its package as the issuer stores it. Nobody reads the package: its bytes are random. */
function storedClaim(holderDid: string): { coreClaimHash: string; body: object } {
  const revocationNonce = randomBytes(8).readBigUInt64BE().toString();
  const facts = { v: 1, issuerDid: ISSUER_DID, holderDid, credentialId: 'own', schemaId: 'bench', expiresAt: null };
  const coreClaim = { ...facts, credentialSubject: SUBJECT, revocationNonce, salt: randomBytes(16).toString('hex') };
  const coreClaimHash = createHash('sha256')
    .update(canonicalize(coreClaim) ?? '')
    .digest('hex');
  const encryptedKey = generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'der' });
  const parts = { data: randomBytes(2_000), iv: randomBytes(12), authTag: randomBytes(16), encryptedKey };
  const texts = Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, bytes.toString('base64')]));
  const claim = { issuerDid: ISSUER_DID, credentialId: 'own', schemaVersion: 1, coreClaimHash, revocationNonce };
  const stored = { holderDid, schemaId: 'bench', expiresAt: null, externalId: randomUUID(), ...texts, claim };
  return { coreClaimHash, body: stored };
}

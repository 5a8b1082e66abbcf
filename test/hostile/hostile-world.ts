// The world of the generated requests. They retire, erase and use up records that later requests need, so the world is
// repaired after such requests, and gets new records from time to time. Otherwise all later requests would only be
// refused.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CALLERS, type CallerName, startWorld, type World } from '../contract/rights-world.js';
import type { RestAnswer, TestGateway } from '../support/gateway.js';
import { SCHEMA } from '../support/membership.js';
import { logIn } from '../support/partner.js';
import { CAK_KEY, type Things } from './nouns.js';

/** The number of cases after which new records and new tokens are created: tokens are valid for 5 minutes. */
const CASES_BETWEEN = 50;
const PARTNER_FIELDS = ['name', 'jwks', 'scopes', 'issueOnBehalf', 'allowedOrigins', 'requireTyp'];
const BATCH = 'mutation ($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { job { jobId } } }';
const SUBJECT = { level: 1, since: '2024-01-01' };

type Headers = Record<string, string>;

/** A gateway, all callers, and records that they can ask for. */
export class HostileWorld {
  #cases = 0;
  #isDamaged = true;
  #headers: Record<CallerName, Headers>;
  #things: Record<string, string> = {};

  private constructor(
    private readonly world: World,
    private readonly issuer: Server,
    private readonly record: Readonly<Record<string, unknown>>,
  ) {
    this.#headers = { ...world.headers };
  }

  static async start(): Promise<HostileWorld> {
    // Limits by address have tests of their own, so the client's address changes every few requests. With an https
    // address, DIDs are did:web.
    const world = await startWorld({ env: { TRUST_PROXY: '1', PUBLIC_URL: 'https://gateway.example' } });
    const issuer = await startIssuer();
    const { body } = await world.gateway.admin('GET', `/v1/admin/partners/${world.partnerId}`);
    const record = Object.fromEntries(PARTNER_FIELDS.map((field) => [field, body[field]]));
    const hostile = new HostileWorld(world, issuer, record);
    // The first preparation takes the longest, and FUZZ_SECONDS is the time for cases only.
    await hostile.prepare();
    return hostile;
  }

  get gateway(): TestGateway {
    return this.world.gateway;
  }

  get things(): Things {
    return { ...this.#things, key: `key ${this.#cases}` };
  }

  headersOf(caller: CallerName): Headers {
    return { ...this.#headers[caller], 'x-forwarded-for': this.#address };
  }

  /** Repairs what earlier cases changed; called before each case. */
  async prepare(): Promise<void> {
    const isDue = this.#cases % CASES_BETWEEN === 0;
    if (this.#isDamaged || isDue) await this.#mend();
    if (isDue) await this.#renew();
    this.#isDamaged = false;
    this.#cases += 1;
  }

  /** Called when a case may have changed records that others need. */
  damage(): void {
    this.#isDamaged = true;
  }

  async close(): Promise<void> {
    this.issuer.close();
    await this.world.gateway.close();
  }

  get #address(): string {
    const number = Math.floor(this.#cases / CASES_BETWEEN);
    return `10.0.${(number >> 8) & 255}.${number & 255}`;
  }

  async #mend(): Promise<void> {
    const put = async (path: string, body: object) =>
      must(await this.gateway.admin('PUT', `/v1/admin/${path}`, { body }));
    const issuerUrl = `http://127.0.0.1:${(this.issuer.address() as AddressInfo).port}`;
    const urls = { availableVcUrl: `${issuerUrl}/available`, issueVcUrl: `${issuerUrl}/issue` };
    const schemaId = SCHEMA.$id;
    const { issuerDid } = (await put('issuers/club', { name: 'Club', issuerFrom: 'test', managed: true })).body;
    await put('issuers/hosted', { name: 'Hosted', issuerFrom: 'test', issuerDid: 'did:web:hosted.example', ...urls });
    await put(`schemas/${encodeURIComponent(schemaId)}`, { jsonSchema: SCHEMA });
    const credential = { category: 'Club', issuerId: 'club', schemaId, expirationDuration: 86_400, force: true };
    await put('credentials/member', { ...credential, name: 'Member' });
    await put('credentials/sealed', { ...credential, name: 'Sealed', cak: true });
    await put('verifiers/agency', { name: 'Agency', verifierDid: 'did:web:agency.example' });
    const acceptedCredentials = [{ credentialId: 'member', verificationConditions: ['level = 1'] }];
    const program = { name: 'levels', description: '', pricingModel: 'Free' };
    await put('programs/levels', { ...program, verifierId: 'agency', acceptedCredentials });
    await put(`partners/${this.world.partnerId}`, { ...this.record, issuerDids: [issuerDid] });
    Object.assign(this.#things, { issuerDid, issuerUrl, partnerId: this.world.partnerId });
    await this.#logIn('holder');
    await this.#logIn('stranger');
  }

  async #logIn(who: 'holder' | 'stranger'): Promise<void> {
    const { status } = await this.gateway.rest('GET', '/v1/holders/me', { headers: this.#headers[who] });
    if (status === 200) return;
    const email = `${who}-${this.#cases}@example.org`;
    const authorization = `Bearer ${await logIn(this.gateway, this.world.partner, email)}`;
    this.#headers = { ...this.#headers, [who]: { authorization } };
  }

  async #renew(): Promise<void> {
    await this.#signTokens();
    await this.#renewHolder();
    await this.#renewIssuances();
    await this.#renewWebhook();
    await this.#renewVerifications();
    await this.#renewLogin();
    if (this.#cases % (CASES_BETWEEN * CASES_BETWEEN) === 0) await this.#renewRevocations();
  }

  async #signTokens(): Promise<void> {
    const { partner, other } = this.world;
    // Some routes need the address in the token.
    const verify = await partner.token({ email: `verify-${this.#cases}@example.org` }, 'verify');
    const issue = await partner.token();
    const signed = { issue, verify, other: await other.token() };
    const headers = Object.fromEntries(
      Object.entries(signed).map(([caller, token]) => [caller, { 'x-partner-auth': token }]),
    );
    this.#headers = { ...this.#headers, ...headers };
    Object.assign(this.#things, {
      partnerToken: issue,
      partnerJwt: await partner.token({ email: `jwt-${this.#cases}@example.org` }),
    });
  }

  async #renewHolder(): Promise<void> {
    const { headers } = this.#as('holder');
    const me = must(await this.gateway.rest('GET', '/v1/holders/me', { headers })).body.user;
    const held = await this.#initialize(me.email);
    await this.gateway.rest('PUT', `/v1/holders/me/partners/${this.world.partnerId}`, {
      headers,
      body: { consent: 'accepted' },
    });
    const body = { issuerId: 'club', schemaId: SCHEMA.$id, curve: 'secp256r1', publicKey: CAK_KEY };
    await this.gateway.rest('PUT', '/v1/holders/me/cak', { headers, body });
    const [spareEmail, erasedEmail] = ['spare', 'erased'].map((name) => `${name}-${this.#cases}@example.org`);
    const spare = await this.#initialize(String(spareEmail));
    const { userId } = await this.#initialize(String(erasedEmail));
    const erasure = must(await this.gateway.admin('POST', '/v1/admin/holders/erase', { body: { userId } })).body;
    Object.assign(this.#things, {
      email: me.email,
      userId: held.userId,
      holderDid: held.did,
      spareEmail,
      spareUserId: spare.userId,
      erasureId: erasure.erasureId,
    });
  }

  async #initialize(email: string) {
    return must(await this.#partner('POST', '/v1/auth/initialize-user', { email })).body;
  }

  async #renewIssuances(): Promise<void> {
    const issue = async (credentialId: string) => {
      const { issuerDid, email } = this.#things;
      const subject = { issuerDid, credentialId, credentialSubject: SUBJECT, email, onDuplicate: 'revoke' };
      const { coreClaimHash } = must(await this.#partner('POST', '/v1/credentials/issue-on-behalf', subject)).body;
      return must(await this.gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${coreClaimHash}`)).body;
    };
    const [first, second] = [await issue('member'), await issue('sealed')];
    const history = await this.gateway.admin('GET', '/v1/admin/issuance-history?order=createdAt_desc&limit=1');
    const page = must(await this.#partner('GET', '/v1/dstorage/vcs?limit=1')).body;
    const events = must(await this.#partner('GET', '/v1/events?limit=1')).body;
    Object.assign(this.#things, {
      hash: first.coreClaimHash,
      otherHash: second.coreClaimHash,
      storedId: first.vcDstorageId,
      otherStoredId: second.vcDstorageId,
      nonce: history.body.data[0].revocationNonce,
      cursor: page.nextCursor ?? '',
      eventId: events.items[0]?.id ?? '',
      jobId: await this.#startBatch(),
    });
  }

  /** Creates a preview, and another one that is used at once; the number of previews is limited. */
  async #renewRevocations(): Promise<void> {
    const preview = async (): Promise<string> =>
      (await this.#partner('POST', '/v1/revocations/previews', { credentialId: 'sealed' })).body.token ?? '';
    const { body } = await this.#partner('POST', '/v1/revocations', { token: await preview() });
    if (body.jobId) Object.assign(this.#things, { revocationId: body.jobId, revocationToken: await preview() });
  }

  async #startBatch(): Promise<string> {
    const { issuerDid, email } = this.#things;
    const rows = [{ rowKey: 'one', email, credentialSubject: SUBJECT }];
    const input = { issuerDid, credentialId: 'member', dryRun: true, rows };
    const { data } = await this.gateway.gql(BATCH, { input }, this.#as('issue').headers);
    return data.issueOnBehalfBatch.job.jobId;
  }

  async #renewWebhook(): Promise<void> {
    const { items } = must(await this.#partner('GET', '/v1/webhooks')).body;
    for (const { webhookId } of items) await this.#partner('DELETE', `/v1/webhooks/${webhookId}`);
    const { webhookId } = must(
      await this.#partner('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', types: ['revoked'] }),
    ).body;
    const ping = must(await this.#partner('POST', `/v1/webhooks/${webhookId}/test`)).body;
    Object.assign(this.#things, { webhookId, deliveryId: ping.deliveryId });
  }

  async #renewVerifications(): Promise<void> {
    const { gateway } = this;
    const start = async () => {
      const body = { programId: 'levels' };
      return must(await gateway.rest('POST', '/v1/verifications', { body, ...this.#as('verify') })).body.verificationId;
    };
    const [verificationId, otherVerificationId] = [await start(), await start()];
    await gateway.rest('GET', `/v1/verifications/${verificationId}/request`, this.#as('holder'));
    const { programVersion } = must(await gateway.rest('GET', '/v1/programs/levels/proof-request')).body;
    Object.assign(this.#things, { verificationId, otherVerificationId, programVersion });
  }

  async #renewLogin(): Promise<void> {
    const email = `login-${this.#cases}@example.org`;
    const headers = { 'x-partner-auth': await this.world.partner.token({ email }) };
    const { loginId } = must(await this.gateway.rest('POST', '/v1/auth/login', { body: {}, headers })).body;
    const { messages } = must(await this.gateway.admin('GET', `/v1/sandbox/mailbox?email=${email}`)).body;
    Object.assign(this.#things, { loginId, code: messages.at(-1)?.code ?? '' });
  }

  #as(caller: CallerName): { headers: Headers } {
    return { headers: this.headersOf(caller) };
  }

  #partner(method: string, path: string, body?: object): Promise<RestAnswer> {
    return this.gateway.rest(method, path, { body, ...this.#as('issue') });
  }
}

function must(answer: RestAnswer): RestAnswer {
  if (answer.status < 300) return answer;
  throw new Error(`the world cannot be mended: ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`);
}

/** The back end of an issuer that issues credentials itself: it offers one credential to everybody. */
async function startIssuer(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { holderDID } = JSON.parse(Buffer.concat(chunks).toString());
    const credentialSubject = { encryptedData: 'AA==', iv: 'AA==', authTag: 'AA==', dataEncPublicKey: 'AA==' };
    const data = [{ holderDID, schemaId: SCHEMA.$id, proofType: 'JWT_VC', credentialSubject }];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

/** All callers, beginning with those that may call an operation of these security schemes. */
export const callersFor = (schemes: readonly string[]): CallerName[] => {
  const own = schemes.flatMap((scheme) => OF_SCHEME[scheme] ?? []);
  return own.length > 0 ? own : [...CALLERS];
};

const OF_SCHEME: Readonly<Record<string, readonly CallerName[]>> = {
  partnerToken: ['issue', 'verify'],
  holderSession: ['holder'],
  operatorKey: ['operator'],
};

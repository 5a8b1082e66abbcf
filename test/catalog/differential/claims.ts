// What partners, holders and wallets do at random with the credentials of the issuer `club`, through any gateway, and what they read.
import type { Held } from '../../openid4vp/wallet.js';
import { PresentingWallet } from '../../openid4vp/wallet.js';
import { TestWallet } from '../../openid4vci/wallet.js';
import { OPERATOR_KEY } from '../../support/gateway-process.js';
import { logIn, registerPartner, type TestPartner } from '../../support/partner.js';
import { dice } from '../network.js';
import { type Gateway, type Gateways, PUBLIC_URL } from './gateways.js';
import type { Question } from './questions.js';
import { clubWrites, pick, type Roll, send, type Write } from './writes.js';

/** Something that is done at a gateway. Its choices are made before. */
export type Act = (gateway: Gateway) => Promise<unknown>;
type Headers = Record<string, string>;

const OPERATOR = { 'x-admin-api-key': OPERATOR_KEY };
/** The first of them is logged in, and never erased. */
const EMAILS = ['ada', 'bob', 'cy', 'dee', 'eve'].map((name) => `${name}@example.org`);
const BOB = 'bob@example.org';
const CREDENTIALS = ['m1', 'm2'];
const ON_DUPLICATE = ['revoke', 'ignore'];
const LIST = 'pageInfo { hasNextPage endCursor } totalCount';

const json = (headers: Headers): Headers => ({ ...headers, 'content-type': 'application/json' });
const uuid = (roll: Roll): string =>
  'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () => roll(16).toString(16));

/** A wallet whose requests go to gateways at random. */
const anyOf = (gateways: readonly Gateway[], roll: Roll) => (address: string) =>
  address.replace(PUBLIC_URL, pick(gateways, roll).url);

export class Claims {
  /** Hashes of what was issued. */
  readonly hashes: string[] = [];
  readonly counts = { issued: 0, revoked: 0, offered: 0, taken: 0, verified: 0, erased: 0 };
  readonly #offers: { offerId: string; offerUri: string; txCode: string }[] = [];
  readonly #erasures: string[] = [];
  readonly #held: Held[] = [];
  private issuing: Headers = {};
  private verifying: Headers = {};

  private constructor(
    private readonly gateways: Gateways<Gateway>,
    private readonly issuerDid: string,
    readonly partner: TestPartner,
    private readonly holding: Headers,
  ) {}

  /** Registers the issuer, a partner and a holder; then each thing is done once. */
  static async prepare(gateways: Gateways<Gateway>, roll: Roll): Promise<Claims> {
    const [first, second] = gateways.cached;
    for (const write of clubWrites(roll)) await send(first, write);
    const { issuerDid } = (await first.admin('GET', '/v1/admin/issuers/club')).body;
    const partner = await registerPartner(second.asGateway, [issuerDid]);
    const holding = { authorization: `Bearer ${await logIn(first.asGateway, partner, EMAILS[0] ?? '')}` };
    const claims = new Claims(gateways, issuerDid, partner, holding);
    await claims.renewTokens();
    const once = [claims.#issue(roll, BOB), claims.#revoke(roll), claims.#offer(roll), claims.#take(roll)];
    for (const act of [...once, claims.#verify(roll), claims.#erase(roll, BOB)]) await act(pick(gateways.all, roll));
    return claims;
  }

  /** Tokens of partners are good for some minutes. */
  async renewTokens(): Promise<void> {
    this.issuing = { 'x-partner-auth': await this.partner.token({}, 'issue', '14m') };
    this.verifying = { 'x-partner-auth': await this.partner.token({}, 'verify', '14m') };
  }

  /** An act at random. */
  someAct(roll: Roll): Act {
    const form = roll(16);
    if (form < 7) return this.#issue(roll);
    if (form < 10) return this.#revoke(roll);
    if (form < 11) return this.#offer(roll);
    if (form < 13) return this.#take(roll);
    return form < 15 ? this.#verify(roll) : this.#erase(roll);
  }

  /** Issues, some by GraphQL, some for a second only, and some under a key at two gateways at once. */
  #issue(roll: Roll, email = pick(EMAILS, roll)): Act {
    const order = { ...this.#order(roll), email, onDuplicate: pick(ON_DUPLICATE, roll) };
    const lives = roll(4) === 0 ? 1_000 + roll(1_000) : undefined;
    const key = roll(3) === 0 ? uuid(roll) : undefined;
    const others = key === undefined ? [] : [pick(this.gateways.all, roll)];
    const byGraphql = roll(3) === 0;
    return async (gateway) => {
      const expiresAt = lives && new Date(Date.now() + lives).toISOString();
      const body = { ...order, ...(expiresAt && { expiresAt }) };
      const issue = (at: Gateway) => (byGraphql ? this.#mutate(at, body, key) : this.#post(at, body, key));
      const hashes = (await Promise.all([gateway, ...others].map(issue))).filter((hash) => hash !== undefined);
      if (new Set(hashes).size > 1) throw new Error(`one key, several issuances: ${hashes}`);
      this.counts.issued += Math.min(1, hashes.length);
      this.hashes.push(...hashes.slice(0, 1));
    };
  }

  async #post(gateway: Gateway, body: object, key: string | undefined): Promise<string | undefined> {
    const headers = { ...this.issuing, ...(key && { 'idempotency-key': key }) };
    const path = '/v1/credentials/issue-on-behalf';
    const { status, body: answer } = await gateway.rest('POST', path, { body, headers });
    if (status === 403 || status >= 500) throw new Error(JSON.stringify(answer));
    return answer.coreClaimHash;
  }

  async #mutate(gateway: Gateway, order: object, key: string | undefined): Promise<string | undefined> {
    const query =
      'mutation ($input: IssueOnBehalfInput!) { issueOnBehalf(input: $input) { issuance { coreClaimHash } } }';
    const { onDuplicate } = order as { onDuplicate: string };
    const input = { ...order, onDuplicate: onDuplicate.toUpperCase(), ...(key && { idempotencyKey: key }) };
    const { body } = await gateway.rest('POST', '/graphql', {
      body: { query, variables: { input } },
      headers: this.issuing,
    });
    if (/INTERNAL|GRAPHQL_/.test(JSON.stringify(body))) throw new Error(JSON.stringify(body));
    return body.data?.issueOnBehalf.issuance?.coreClaimHash;
  }

  #order(roll: Roll): object {
    return { issuerDid: this.issuerDid, credentialId: pick(CREDENTIALS, roll), credentialSubject: { level: 3 } };
  }

  #revoke(roll: Roll): Act {
    const form = pick(['partner', 'operator', 'graphql'] as const, roll);
    const at = roll(1_000);
    return async (gateway) => {
      const coreClaimHash = this.hashes[at % this.hashes.length] ?? 'a'.repeat(64);
      const query = 'mutation ($input: RevokeCredentialInput!) { revokeCredential(input: $input) { revokedAt } }';
      const body = { coreClaimHash };
      const writes: Record<typeof form, readonly [Write, Headers]> = {
        partner: [{ method: 'POST', path: '/v1/credentials/revoke', body }, this.issuing],
        operator: [{ method: 'POST', path: '/v1/admin/revoke', body }, OPERATOR],
        graphql: [{ method: 'POST', path: '/graphql', body: { query, variables: { input: body } } }, OPERATOR],
      };
      if ((await send(gateway, ...writes[form])) === 200) this.counts.revoked += 1;
    };
  }

  #offer(roll: Roll): Act {
    const offer = { ...this.#order(roll), email: pick(EMAILS, roll), txCode: 'partner', onDuplicate: 'revoke' };
    return async (gateway) => {
      const { status, body } = await gateway.rest('POST', '/v1/offers', { body: offer, headers: this.issuing });
      if (status === 403 || status >= 500) throw new Error(JSON.stringify(body));
      if (status !== 201) return;
      this.counts.offered += 1;
      this.#offers.push(body);
    };
  }

  /** A wallet takes an offer, or its partner withdraws it. */
  #take(roll: Roll): Act {
    const own = anyOf(this.gateways.all, dice(roll(2 ** 30)));
    const withdraws = roll(4) === 0 && this.counts.taken > 0;
    return async (gateway) => {
      const offer = this.#offers.pop();
      if (offer === undefined) return;
      if (withdraws) return send(gateway, { method: 'DELETE', path: `/v1/offers/${offer.offerId}` }, this.issuing);
      const { body } = await TestWallet.offerAt(offer.offerUri, own);
      const wallet = new TestWallet(`${PUBLIC_URL}/oid4vci/club`, own);
      const { answer, keys } = await wallet.take(body, { txCode: offer.txCode });
      if (answer.status >= 500) throw new Error(JSON.stringify(answer.body));
      // The credential may have been retired since.
      if (answer.status !== 200) return;
      this.counts.taken += 1;
      this.#held.push({ credential: answer.body.credentials[0].credential, key: keys[0] as Held['key'] });
    };
  }

  /** A verification that a wallet answers. What it holds may be revoked, and the program retired. */
  #verify(roll: Roll): Act {
    const own = anyOf(this.gateways.all, dice(roll(2 ** 30)));
    const at = roll(1_000);
    return async (gateway) => {
      const held = this.#held[at % this.#held.length];
      if (held === undefined) return;
      const start = { programId: 'level-three', wallet: { flow: 'cross_device' } };
      const { status, body } = await gateway.rest('POST', '/v1/verifications', {
        body: start,
        headers: this.verifying,
      });
      if (status === 403 || status >= 500) throw new Error(JSON.stringify(body));
      if (status !== 201) return;
      const { status: answered } = await new PresentingWallet([held], own).answer(body.wallet.uri);
      if (answered >= 500) throw new Error(`a wallet's answer: ${answered}`);
      if (answered === 200) this.counts.verified += 1;
    };
  }

  #erase(roll: Roll, email = pick(EMAILS.slice(1), roll)): Act {
    return async (gateway) => {
      const { status, body } = await gateway.admin('POST', '/v1/admin/holders/erase', { body: { email } });
      if (status === 403 || status >= 500) throw new Error(JSON.stringify(body));
      if (body.erasureId === undefined) return;
      this.counts.erased += 1;
      this.#erasures.push(body.erasureId);
    };
  }

  /** A read at random, of partners, of the holder, of operators, or of anyone. */
  someQuestion(roll: Roll): Question {
    const { issuing, verifying, holding } = this;
    const hash = pick(['a'.repeat(64), ...this.hashes], roll);
    const offer = pick(this.#offers, roll)?.offerId ?? uuid(roll);
    const erasure = pick(this.#erasures, roll);
    const limit = pick([1, 3, 25, 100], roll);
    const order = pick(['id_desc', 'createdAt_asc', 'expiresAt_desc', 'revokedAt_asc', 'type_desc'], roll);
    const graphql = (query: string, headers: Headers): Question => ({
      path: '/graphql',
      body: JSON.stringify({ query: `{ ${query} }` }),
      headers: json(headers),
    });
    const get = (path: string, headers: Headers = {}): Question => ({ path, headers });
    return pick(
      [
        get(`/v1/credentials/status?coreClaimHash=${hash}`),
        graphql(`credentialStatus(coreClaimHash: "${hash}") { vcStatus expirationDate vcDstorageId }`, {}),
        get('/v1/credentials/status-lists/club.1'),
        get('/v1/credentials/token-status-lists/club.w1'),
        get(`/v1/admin/issuance-history?limit=${limit}&order=${order}`, OPERATOR),
        graphql(
          `issuances(first: ${limit}) { nodes { coreClaimHash vcStatus revokedAt expiresAt holderDid } ${LIST} }`,
          issuing,
        ),
        graphql(`issuances(first: ${limit}) { nodes { coreClaimHash vcStatus revokedAt } ${LIST} }`, OPERATOR),
        get(`/v1/holders/me/credentials?limit=${limit}`, holding),
        graphql(`issuances(first: ${limit}) { nodes { coreClaimHash vcStatus } ${LIST} }`, holding),
        get(`/v1/dstorage/vcs?limit=${limit}`, issuing),
        get(`/v1/offers?limit=${limit}`, issuing),
        get(`/v1/offers/${offer}`, issuing),
        get(`/v1/verifications?limit=${limit}`, verifying),
        get(`/v1/events?limit=${limit}`, issuing),
        get(`/v1/events?limit=${limit}`, OPERATOR),
        get(`/v1/admin/erasures/${erasure}`, OPERATOR),
        get('/v1/webhooks', issuing),
        graphql(
          `auditEntries(first: ${limit}) { nodes { id seq hash operation actor subject outcome after before at } ${LIST} }`,
          OPERATOR,
        ),
        get(`/v1/catalog/credentials/${pick(CREDENTIALS, roll)}/series`),
        get('/v1/catalog/programs/level-three/series'),
      ],
      roll,
    );
  }
}

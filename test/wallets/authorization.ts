// How a wallet is authorized to get credentials: tokens, bound to a key (RFC 9449), by a code of the offer or by a page (RFC 9126, RFC 9207).
import { createHash } from 'node:crypto';
import { hasOnly, type Json, listOf, must, numberOf, objectOf, textOf, textsOf } from './faults.js';
import { attestWallet, createKey, dpopProof, type Provider, type WalletKey } from './keys.js';
import { type Offer, PRE_AUTHORIZED } from './offer.js';
import { secret } from './sd-jwt.js';
import { type Answer, type Call, jsonOf, mustBe, mustNotBeStored, RefusedByServer, send } from './strict-http.js';

export interface ClientOptions {
  /** Bearer tokens instead of those bound to a key. */
  bearer?: boolean;
  clientId?: string;
  redirectUri?: string;
  /** Attests the wallet and its keys. */
  provider?: Provider;
}

/** What a wallet asks for: a configuration of an issuer. */
export interface Wanted {
  offer: Offer;
  configurationId: string;
  scope: unknown;
  /** Whether the issuer has other servers than itself. */
  isLocated: boolean;
}

const TOKEN_MEMBERS = ['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope', 'authorization_details'];
const DEFAULT_CLIENT = 'spec-wallet';
const DEFAULT_REDIRECT = 'org.example.spec-wallet:/callback';

export class Authorization {
  /** The answer of the last token request. */
  token: Json = {};
  #dpopNonce: string | undefined;
  #pending: { verifier: string; state: string } | undefined;

  private constructor(
    readonly server: Json,
    private readonly wanted: Wanted,
    private readonly options: ClientOptions,
    readonly dpopKey: WalletKey,
    private readonly attestedKey: WalletKey,
  ) {}

  static async create(server: Json, wanted: Wanted, options: ClientOptions): Promise<Authorization> {
    if (!options.bearer) {
      const algorithms = textsOf(server.dpop_signing_alg_values_supported, 'dpop_signing_alg_values_supported');
      must(algorithms.includes('ES256'), 'DPoP proofs are signed by ES256');
    }
    return new Authorization(server, wanted, options, await createKey(), await createKey());
  }

  get accessToken(): string {
    return textOf(this.token.access_token, 'access_token');
  }

  /** A request with a DPoP proof; again where the server asks for a nonce in it (RFC 9449, 8). */
  async post(url: string, call: Call, accessToken?: string): Promise<Answer> {
    const { bearer } = this.options;
    const attempt = async () => {
      const nonce = this.#dpopNonce;
      const proof: Record<string, string> = bearer
        ? {}
        : { dpop: await dpopProof(this.dpopKey, { url, method: 'POST', accessToken, nonce }) };
      const authorization: Record<string, string> = accessToken
        ? { authorization: `${bearer ? 'Bearer' : 'DPoP'} ${accessToken}` }
        : {};
      const answer = await send(url, {
        ...call,
        method: 'POST',
        headers: { ...proof, ...authorization, ...call.headers },
      });
      this.#dpopNonce = answer.headers.get('dpop-nonce') ?? nonce;
      return answer;
    };
    const answer = await attempt();
    const isAskedForNonce = answer.text.includes('use_dpop_nonce') && answer.headers.has('dpop-nonce');
    return isAskedForNonce ? attempt() : answer;
  }

  async #attestation(): Promise<Record<string, string>> {
    const { provider, clientId = DEFAULT_CLIENT } = this.options;
    if (provider === undefined) return {};
    const audience = textOf(this.server.issuer, 'issuer');
    return attestWallet(provider, this.attestedKey, { clientId, audience });
  }

  async #requestToken(form: Record<string, string>): Promise<Json> {
    const url = textOf(this.server.token_endpoint, 'token_endpoint');
    const grants = textsOf(this.server.grant_types_supported, 'grant_types_supported');
    must(grants.includes(form.grant_type ?? ''), `the server has the grant ${form.grant_type}`);
    const answer = await this.post(url, { form, headers: await this.#attestation() });
    mustBe(answer, 200);
    mustNotBeStored(answer);
    const token = jsonOf(answer);
    hasOnly(token, TOKEN_MEMBERS, 'a token response');
    textOf(token.access_token, 'access_token');
    numberOf(token.expires_in, 'expires_in', 1);
    const type = textOf(token.token_type, 'token_type').toLowerCase();
    must(type === (this.options.bearer ? 'bearer' : 'dpop'), 'the token type is as asked for');
    this.token = { ...this.token, ...token };
    return token;
  }

  /** @param asked `details`: with authorization_details, which name the configuration */
  async requestToken(txCode?: string, asked: { details?: boolean } = {}): Promise<Json> {
    const { preAuthorizedCode, txCode: wanted } = this.wanted.offer;
    must((wanted !== undefined) === (txCode !== undefined), 'a transaction code is sent where one is asked for');
    if (!this.options.clientId && !this.options.provider)
      must(this.server['pre-authorized_grant_anonymous_access_supported'] === true, 'anonymous wallets are served');
    const { clientId } = this.options;
    const token = await this.#requestToken({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': textOf(preAuthorizedCode, 'pre-authorized_code'),
      ...(txCode === undefined ? {} : { tx_code: txCode }),
      ...(clientId === undefined ? {} : { client_id: clientId }),
      ...(asked.details ? { authorization_details: this.#details() } : {}),
    });
    must(!asked.details || token.authorization_details !== undefined, 'authorization_details are answered');
    return token;
  }

  #details(): string {
    const details = { type: 'openid_credential', credential_configuration_id: this.wanted.configurationId };
    const { isLocated } = this.wanted;
    return JSON.stringify([{ ...details, ...(isLocated ? { locations: [this.wanted.offer.issuer] } : {}) }]);
  }

  /** Pushes an authorization request (RFC 9126). @returns the address for a browser */
  async authorize(): Promise<string> {
    const { clientId = DEFAULT_CLIENT, redirectUri = DEFAULT_REDIRECT } = this.options;
    must(this.wanted.offer.authorizationCode !== undefined, 'the offer has the grant authorization_code');
    const { issuerState } = this.wanted.offer.authorizationCode;
    const verifier = secret();
    this.#pending = { verifier, state: secret() };
    const form = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      state: this.#pending.state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      scope: textOf(this.wanted.scope, 'scope'),
      ...(issuerState === undefined ? {} : { issuer_state: issuerState }),
    };
    const url = textOf(this.server.pushed_authorization_request_endpoint, 'pushed_authorization_request_endpoint');
    const answer = await this.post(url, { form, headers: await this.#attestation() });
    mustBe(answer, 201);
    mustNotBeStored(answer);
    const pushed = jsonOf(answer);
    hasOnly(pushed, ['request_uri', 'expires_in'], 'the answer of PAR');
    numberOf(pushed.expires_in, 'expires_in', 1);
    const page = new URL(textOf(this.server.authorization_endpoint, 'authorization_endpoint'));
    page.searchParams.set('client_id', clientId);
    page.searchParams.set('request_uri', textOf(pushed.request_uri, 'request_uri'));
    return page.href;
  }

  /** Goes on with the address to which the browser was sent back. */
  async redirected(address: string): Promise<Json> {
    const { clientId = DEFAULT_CLIENT, redirectUri = DEFAULT_REDIRECT } = this.options;
    must(address.startsWith(redirectUri), 'the browser is sent to the redirect_uri');
    const answer = new URL(address).searchParams;
    must(answer.get('state') === this.#pending?.state, 'the state comes back');
    // RFC 9207.
    must(this.server.authorization_response_iss_parameter_supported === true, 'iss is announced');
    must(answer.get('iss') === this.server.issuer, 'iss is the server that was asked');
    const error = answer.get('error');
    if (error) throw new RefusedByServer(302, error, answer.get('error_description') ?? '', new Headers());
    return this.#requestToken({
      grant_type: 'authorization_code',
      code: textOf(answer.get('code'), 'code'),
      code_verifier: this.#pending?.verifier ?? '',
      redirect_uri: redirectUri,
      client_id: clientId,
    });
  }

  async refresh(): Promise<Json> {
    const old = textOf(this.token.refresh_token, 'refresh_token');
    const { clientId } = this.options;
    const token = await this.#requestToken({
      grant_type: 'refresh_token',
      refresh_token: old,
      ...(clientId === undefined ? {} : { client_id: clientId }),
    });
    // RFC 9700, 4.14.2: those of public clients are bound to a key, or change.
    must(token.refresh_token !== old, 'a refresh token changes');
    return token;
  }

  /** Which credential the token is for: by an identifier where the token named some, else by the configuration. */
  credential(): Json {
    const details = this.token.authorization_details;
    if (details === undefined) return { credential_configuration_id: this.wanted.configurationId };
    const [detail] = listOf(details, 'authorization_details').map((one) => objectOf(one, 'a detail'));
    must(detail?.type === 'openid_credential', 'the details are of the type openid_credential');
    must(detail.credential_configuration_id === this.wanted.configurationId, 'the details name the configuration');
    return { credential_identifier: textsOf(detail.credential_identifiers, 'credential_identifiers')[0] };
  }
}

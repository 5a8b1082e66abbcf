// How a wallet gets credentials (OpenID4VCI 1.0): offer, nonce, credentials, deferred ones, notification. Tokens: `authorization`.
import type { X509Certificate } from 'node:crypto';
import { Authorization, type ClientOptions } from './authorization.js';
import { type Credential, verifyCredential } from './credential.js';
import { hasOnly, type Json, listOf, must, numberOf, objectOf, textOf, textsOf } from './faults.js';
import { attestKeys, createKey, keyProof, type WalletKey } from './keys.js';
import { fetchIssuerMetadata, fetchServerMetadata } from './metadata.js';
import { type Offer, resolveOffer } from './offer.js';
import { type Answer, jsonOf, mustBe, mustNotBeStored, send } from './strict-http.js';

export interface WalletOptions extends ClientOptions {
  /** Whom the wallet trusts. */
  roots: readonly X509Certificate[];
}

const CREDENTIAL_MEMBERS = ['credentials', 'notification_id', 'transaction_id', 'interval'];
/** 128 bits in base64url. */
const SECRET_LETTERS = 22;

export class Issuance {
  /** Of the last credentials. */
  notificationId: unknown;
  readonly #keys = new Map<string, WalletKey>();
  #transactionId: string | undefined;

  private constructor(
    readonly offer: Offer,
    readonly metadata: Json,
    readonly configuration: Json,
    readonly authorization: Authorization,
    private readonly options: WalletOptions,
  ) {}

  /** Reads an offer, and what the issuer and its server say of themselves. The first configuration is asked for. */
  static async open(offerUri: string, options: WalletOptions): Promise<Issuance> {
    const offer = await resolveOffer(offerUri);
    const metadata = await fetchIssuerMetadata(offer.issuer);
    const servers = metadata.authorization_servers;
    const [server] = servers === undefined ? [offer.issuer] : textsOf(servers, 'authorization_servers');
    const configurations = objectOf(metadata.credential_configurations_supported, 'configurations');
    for (const id of offer.configurationIds) must(id in configurations, `${id} is a configuration of the issuer`);
    const configurationId = offer.configurationIds[0] ?? '';
    const configuration = objectOf(configurations[configurationId], 'a configuration');
    const wanted = { offer, configurationId, scope: configuration.scope, isLocated: servers !== undefined };
    const authorization = await Authorization.create(await fetchServerMetadata(String(server)), wanted, options);
    return new Issuance(offer, metadata, configuration, authorization, options);
  }

  async nonce(): Promise<string> {
    const answer = await send(textOf(this.metadata.nonce_endpoint, 'nonce_endpoint'), { method: 'POST' });
    mustBe(answer, 200);
    mustNotBeStored(answer);
    const json = jsonOf(answer);
    hasOnly(json, ['c_nonce'], 'the answer with a nonce');
    const nonce = textOf(json.c_nonce, 'c_nonce');
    must(nonce.length >= SECRET_LETTERS, 'c_nonce cannot be guessed');
    return nonce;
  }

  /** The proofs of these keys, as the configuration asks for them. */
  async #proofs(keys: readonly WalletKey[]): Promise<Json> {
    const types = objectOf(this.configuration.proof_types_supported, 'proof_types_supported');
    const nonce = await this.nonce();
    const { provider, clientId } = this.options;
    if (types.jwt !== undefined && objectOf(types.jwt, 'jwt').key_attestations_required === undefined) {
      const claims = { aud: this.offer.issuer, nonce, iss: clientId };
      return { jwt: await Promise.all(keys.map((key) => keyProof(key, claims))) };
    }
    must(provider !== undefined, 'somebody attests our keys');
    const attestation = await attestKeys(provider, keys, nonce);
    if (types.attestation !== undefined) return { attestation: [attestation] };
    const [first] = keys;
    must(first !== undefined, 'there is a key');
    return { jwt: [await keyProof(first, { aud: this.offer.issuer, nonce }, attestation)] };
  }

  get batchSize(): number {
    const { batch_credential_issuance: batch } = this.metadata;
    return batch === undefined ? 1 : numberOf(objectOf(batch, 'batch').batch_size, 'batch_size', 2);
  }

  /** Asks for credentials, bound to as many new keys. @returns none where the issuer is not ready: then `later` */
  async credentials(count = this.batchSize): Promise<Credential[]> {
    const keys = await Promise.all(Array.from({ length: count }, createKey));
    for (const key of keys) this.#keys.set(key.thumbprint, key);
    return this.request({ ...this.authorization.credential(), proofs: await this.#proofs(keys) }, count);
  }

  /** Sends a credential request as it is. */
  async request(json: Json, most: number): Promise<Credential[]> {
    const url = textOf(this.metadata.credential_endpoint, 'credential_endpoint');
    return this.#received(await this.authorization.post(url, { json }, this.authorization.accessToken), most);
  }

  async #received(answer: Answer, most: number): Promise<Credential[]> {
    if (answer.status !== 202) mustBe(answer, 200);
    mustNotBeStored(answer);
    const response = jsonOf(answer);
    hasOnly(response, CREDENTIAL_MEMBERS, 'a credential response');
    if (answer.status === 202) {
      this.#transactionId = textOf(response.transaction_id, 'transaction_id');
      numberOf(response.interval, 'interval', 1);
      must(!('credentials' in response || 'notification_id' in response), 'nothing is there yet');
      return [];
    }
    must(!('transaction_id' in response || 'interval' in response), 'nothing has to be waited for');
    if (response.notification_id !== undefined) textOf(response.notification_id, 'notification_id');
    this.notificationId = response.notification_id;
    const list = listOf(response.credentials, 'credentials').map((one) => objectOf(one, 'a member of credentials'));
    must(list.length <= most, 'there are no more credentials than keys');
    const { issuer } = this.offer;
    const all = await Promise.all(
      list.map(({ credential }) => verifyCredential(credential, issuer, this.options.roots)),
    );
    this.#checkCopies(all);
    return all;
  }

  /** Each copy has a key of this wallet, and nothing that another copy has too. */
  #checkCopies(copies: readonly Credential[]): void {
    for (const { thumbprint, vct } of copies) {
      must(this.#keys.has(thumbprint), 'a credential is bound to a key that was sent');
      must(vct === this.configuration.vct, 'the vct is that of the configuration');
    }
    const allDifferent = (values: readonly unknown[], what: string) =>
      must(new Set(values).size === values.length, `copies have no ${what} in common`);
    allDifferent(
      copies.map(({ thumbprint }) => thumbprint),
      'key',
    );
    allDifferent(
      copies.flatMap(({ status }) => (status === undefined ? [] : [`${status.uri} ${status.idx}`])),
      'place in a status list',
    );
    allDifferent(
      copies.flatMap(({ sdJwt }) => sdJwt.disclosures.map(({ salt }) => salt)),
      'salt',
    );
  }

  /** Asks again for credentials that were not ready. */
  async later(): Promise<Credential[]> {
    const url = textOf(this.metadata.deferred_credential_endpoint, 'deferred_credential_endpoint');
    const asked = textOf(this.#transactionId, 'transaction_id');
    const token = this.authorization.accessToken;
    const answer = await this.authorization.post(url, { json: { transaction_id: asked } }, token);
    const credentials = await this.#received(answer, this.#keys.size);
    must(credentials.length > 0 || this.#transactionId === asked, 'the transaction keeps its id');
    return credentials;
  }

  async notify(event: string): Promise<void> {
    const url = textOf(this.metadata.notification_endpoint, 'notification_endpoint');
    const json = { notification_id: textOf(this.notificationId, 'notification_id'), event };
    const answer = await this.authorization.post(url, { json }, this.authorization.accessToken);
    if (answer.status >= 200 && answer.status < 300) return;
    mustBe(answer, 204);
  }

  /** The private key of a credential that this wallet got. */
  keyOf({ thumbprint }: Credential): WalletKey {
    const key = this.#keys.get(thumbprint);
    must(key !== undefined, 'the wallet has the key');
    return key;
  }
}

// A wallet written from the specifications (OpenID4VCI 1.0, RFC 9449), with jose and node:crypto alone.
import { createHash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
export type Answer = { status: number; body: any; headers: Headers };
export interface Key {
  privateKey: object;
  jwk: JWK;
}

export async function newKey(): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const { kty, crv, x, y } = await exportJWK(publicKey);
  return { privateKey, jwk: { kty, crv, x, y } as JWK };
}

export async function send(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : text, headers: response.headers };
}

/** Members of a proof that a test changes. */
export interface ProofChanges {
  header?: object;
  payload?: object;
  key?: Key;
}

/** A wallet at one credential issuer. @param own the address that the gateway has here, if its PUBLIC_URL is another */
export class TestWallet {
  /** The time of its proofs, ms since 1970 UTC. */
  clock: () => number = Date.now;

  constructor(
    readonly issuer: string,
    private readonly own: (url: string) => string = (url) => url,
  ) {}

  /** The offer behind the address of a QR code. */
  static async offerAt(offerUri: string, own: (url: string) => string = (url) => url): Promise<Answer> {
    const address = new URL(offerUri).searchParams.get('credential_offer_uri') ?? '';
    return send(own(address));
  }

  metadata(): Promise<Answer> {
    const { origin, pathname } = new URL(this.issuer);
    return send(this.own(`${origin}/.well-known/openid-credential-issuer${pathname}`));
  }

  async dpop(key: Key, url: string, changes: { payload?: object; accessToken?: string } = {}): Promise<string> {
    const { payload, accessToken } = changes;
    const ath = accessToken && createHash('sha256').update(accessToken).digest('base64url');
    return new SignJWT({
      jti: randomUUID(),
      htm: 'POST',
      htu: url,
      iat: Math.floor(this.clock() / 1_000),
      ...(ath ? { ath } : {}),
      ...payload,
    })
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: key.jwk })
      .sign(key.privateKey as never);
  }

  async token(body: Record<string, string>, dpop?: Key, proof?: string): Promise<Answer> {
    const url = `${this.issuer}/token`;
    const headers = dpop || proof ? { dpop: proof ?? (await this.dpop(dpop as Key, url)) } : {};
    return send(this.own(url), {
      method: 'POST',
      body: new URLSearchParams(body),
      headers: headers as Record<string, string>,
    });
  }

  tokenFor(offer: Answer['body'], txCode?: string, dpop?: Key): Promise<Answer> {
    const code = offer.grants[PRE_AUTHORIZED]['pre-authorized_code'];
    return this.token(
      { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code, ...(txCode ? { tx_code: txCode } : {}) },
      dpop,
    );
  }

  async nonce(): Promise<string> {
    return (await send(this.own(`${this.issuer}/nonce`), { method: 'POST' })).body.c_nonce;
  }

  async proof(key: Key, nonce: string, { header, payload, key: signer = key }: ProofChanges = {}): Promise<string> {
    return new SignJWT({ aud: this.issuer, iat: Math.floor(this.clock() / 1_000), nonce, ...payload })
      .setProtectedHeader({ typ: 'openid4vci-proof+jwt', alg: 'ES256', jwk: key.jwk, ...header })
      .sign(signer.privateKey as never);
  }

  /** Asks for a credential for each proof. */
  async credential(accessToken: string, body: object, dpop?: Key): Promise<Answer> {
    return this.#withToken('credential', accessToken, body, dpop);
  }

  deferred(accessToken: string, transactionId: string, dpop?: Key): Promise<Answer> {
    return this.#withToken('deferred', accessToken, { transaction_id: transactionId }, dpop);
  }

  notify(accessToken: string, body: object, dpop?: Key): Promise<Answer> {
    return this.#withToken('notification', accessToken, body, dpop);
  }

  async #withToken(endpoint: string, accessToken: string, body: object, dpop?: Key): Promise<Answer> {
    const url = `${this.issuer}/${endpoint}`;
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      authorization: `${dpop ? 'DPoP' : 'Bearer'} ${accessToken}`,
    };
    if (dpop) headers.dpop = await this.dpop(dpop, url, { accessToken });
    return send(this.own(url), { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** Everything from an offer to credentials for so many new keys. */
  async take(
    offer: Answer['body'],
    { txCode, copies = 1, dpop }: { txCode?: string; copies?: number; dpop?: Key } = {},
  ) {
    const { body: token } = await this.tokenFor(offer, txCode, dpop);
    const keys = await Promise.all(Array.from({ length: copies }, newKey));
    const nonce = await this.nonce();
    const jwt = await Promise.all(keys.map((key) => this.proof(key, nonce)));
    const [{ credential_identifiers: [identifier] = [] } = {}] = token.authorization_details ?? [];
    const answer = await this.credential(
      token.access_token,
      { credential_identifier: identifier, proofs: { jwt } },
      dpop,
    );
    return { token, keys, answer, thumbprints: await Promise.all(keys.map(({ jwk }) => calculateJwkThumbprint(jwk))) };
  }
}

// A wallet that presents credentials, written from the specifications (OpenID4VP 1.0, RFC 9901, HAIP 1.0), with jose and node:crypto alone.
import { createHash, X509Certificate } from 'node:crypto';
import { CompactEncrypt, compactVerify, decodeProtectedHeader, importJWK, type JWK, SignJWT } from 'jose';
import { type Answer, type Key, send } from '../openid4vci/wallet.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read JSON of every shape.
type Json = any;

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('base64url');
/** By the hash function that the credential names (RFC 9901 §4.1.1). */
const hashOf = (jwt: string, text: string): string => {
  const name: string = jsonOf(jwt.split('.')[1])._sd_alg ?? 'sha-256';
  return createHash(name.replace('-', '')).update(text).digest('base64url');
};
const jsonOf = (text = ''): Json => JSON.parse(Buffer.from(text, 'base64url').toString());

/** A credential that the wallet holds, and its key. */
export interface Held {
  credential: string;
  key: Key;
}

/** What a test changes in a presentation. */
export interface Changes {
  header?: object;
  payload?: object;
  /** Signs the key binding JWT. */
  key?: Key;
  /** Changes the disclosures before they are signed, and after. */
  disclosures?: (chosen: string[], all: string[]) => string[];
  after?: (presentation: string) => string;
}

/** A request that was read, and its address. */
export interface ReadRequest {
  request: Json;
  header: Json;
}

const nameOf = (disclosure: string): string => jsonOf(disclosure).at(-2);

/** Paths of the disclosures of a credential. Ours nest objects without hiding them. */
function pathsOf(credential: string): Map<string, string> {
  const [jwt = '', ...rest] = credential.split('~');
  const disclosures = new Map(rest.slice(0, -1).map((text) => [hashOf(jwt, text), text]));
  const paths = new Map<string, string>();
  const walk = (object: Json, path: string[]): void => {
    if (typeof object !== 'object' || object === null) return;
    for (const digest of object._sd ?? []) {
      const text = disclosures.get(digest);
      if (text === undefined) continue;
      const own = [...path, nameOf(text)];
      paths.set(own.join('.'), text);
      walk(jsonOf(text)[2], own);
    }
    for (const [name, value] of Object.entries(object)) if (!name.startsWith('_sd')) walk(value, [...path, name]);
  };
  walk(jsonOf(jwt.split('.')[1]), []);
  return paths;
}

/** The value of a claim of a credential, with all of its disclosures. */
function claimOf(credential: string, path: string[]): unknown {
  const disclosure = pathsOf(credential).get(path.join('.'));
  if (disclosure !== undefined) return jsonOf(disclosure)[2];
  return path.reduce<Json>((object, name) => object?.[name], jsonOf(credential.split('.')[1]));
}

/** A wallet with credentials. @param own the address that the gateway has here, if its PUBLIC_URL is another */
export class PresentingWallet {
  constructor(
    readonly held: Held[],
    private readonly own: (url: string) => string = (url) => url,
  ) {}

  /** Fetches and checks the request of an address, as x509_hash asks (OpenID4VP 1.0 §5.9.3). */
  async fetch(uri: string, { walletNonce }: { walletNonce?: string } = {}): Promise<ReadRequest> {
    const { searchParams } = new URL(uri);
    const address = this.own(searchParams.get('request_uri') ?? '');
    const post = { method: 'POST', body: new URLSearchParams({ wallet_nonce: walletNonce ?? '' }) };
    const answer = await send(address, walletNonce === undefined ? {} : post);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return this.read(answer.body, searchParams.get('client_id') ?? '');
  }

  /** Checks a signed request. */
  async read(jwt: string, clientId?: string): Promise<ReadRequest> {
    const header = decodeProtectedHeader(jwt);
    const certificate = Buffer.from(header.x5c?.[0] ?? '', 'base64');
    await compactVerify(jwt, new X509Certificate(certificate).publicKey);
    const request = jsonOf(jwt.split('.')[1]);
    const hashed = `x509_hash:${sha256(certificate)}`;
    if (request.client_id !== hashed || (clientId ?? hashed) !== hashed || header.typ !== 'oauth-authz-req+jwt')
      throw new Error('the request is not of its client');
    return { request, header };
  }

  /** The first query that a credential answers, and the claims to disclose: as in OpenID4VP 1.0 §6.4, for our queries. */
  match(request: Json): { id: string; held: Held; paths: string[] } | undefined {
    for (const query of request.dcql_query.credentials)
      for (const held of this.held) {
        const paths = this.#choose(query, held);
        if (paths) return { id: query.id, held, paths };
      }
    return undefined;
  }

  #choose(query: Json, { credential }: Held): string[] | undefined {
    const { vct } = jsonOf(credential.split('.')[1]);
    if (!query.meta.vct_values.includes(vct)) return undefined;
    const claims: Json[] = query.claims ?? [];
    const sets: string[][] = query.claim_sets ?? [claims.map(({ id }) => id)];
    const isThere = ({ path, values }: Json): boolean => {
      const value = claimOf(credential, path);
      return value !== undefined && (values === undefined || values.includes(value));
    };
    const of = (id: string): Json => claims.find((claim) => claim.id === id);
    const set = sets.find((ids) => ids.every((id) => isThere(of(id))));
    return set?.map((id) => of(id).path.join('.'));
  }

  /** A presentation of a credential that discloses these paths. */
  async present(
    request: Json,
    { credential, key }: Held,
    paths: readonly string[],
    { header, payload, key: signer = key, disclosures = (chosen) => chosen, after = (text) => text }: Changes = {},
    audience: string = request.client_id,
  ): Promise<string> {
    const [jwt = ''] = credential.split('~');
    const all = pathsOf(credential);
    const wanted = [...all].filter(([path]) => paths.some((each) => each === path || each.startsWith(`${path}.`)));
    const chosen = disclosures(
      wanted.map(([, text]) => text),
      [...all.values()],
    );
    const bound = `${[jwt, ...chosen].join('~')}~`;
    const content = {
      iat: Math.floor(Date.now() / 1_000),
      aud: audience,
      nonce: request.nonce,
      sd_hash: hashOf(jwt, bound),
    };
    const binding = await new SignJWT({ ...content, ...payload })
      .setProtectedHeader({ alg: 'ES256', typ: 'kb+jwt', ...header })
      .sign(signer.privateKey as never);
    return after(bound + binding);
  }

  /** An encrypted response (OpenID4VP 1.0 §8.3). @param to another request's key */
  async encrypt(content: object, request: Json, to: Json = request): Promise<string> {
    const [jwk] = to.client_metadata.jwks.keys as JWK[];
    return new CompactEncrypt(Buffer.from(JSON.stringify(content)))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', kid: jwk?.kid ?? '' })
      .encrypt(await importJWK(jwk as JWK, 'ECDH-ES'));
  }

  /** Posts an encrypted response with presentations by the id of their query. */
  async respond(request: Json, presentations: Record<string, unknown>, changes: object = {}): Promise<Answer> {
    const response = await this.encrypt({ vp_token: presentations, state: request.state, ...changes }, request);
    return this.post(request, { response });
  }

  /** @param from the IP address that a proxy names */
  post(request: Json, body: Record<string, string>, from?: string): Promise<Answer> {
    const headers: Record<string, string> = from === undefined ? {} : { 'x-forwarded-for': from };
    return send(this.own(request.response_uri), { method: 'POST', body: new URLSearchParams(body), headers });
  }

  /** Everything from an address to the response. */
  async answer(uri: string, changes?: Changes): Promise<Answer & ReadRequest> {
    const read = await this.fetch(uri);
    const match = this.match(read.request);
    if (match === undefined) throw new Error('the wallet has nothing that answers');
    const presentation = await this.present(read.request, match.held, match.paths, changes);
    return { ...(await this.respond(read.request, { [match.id]: [presentation] })), ...read };
  }
}

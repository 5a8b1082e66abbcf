// What the holder tests share: a gateway whose clock tests move, a partner with a key, and logging in as a person would.
import {
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomUUID,
} from 'node:crypto';
import { jws, type KeyPair, keyPair } from '../partners/support.js';
import { type RestAnswer, startGateway, type TestGateway } from '../support/gateway.js';

export interface World {
  gateway: TestGateway;
  clock: { now: number };
  partnerId: string;
  key: KeyPair;
  /** A partner token; `claims` adds to it or replaces. */
  token(claims?: object, partnerId?: string): string;
  /** POSTs as the partner. */
  asPartner(path: string, body?: unknown, claims?: object): Promise<RestAnswer>;
  initialize(email: string): Promise<RestAnswer>;
  lastCode(email: string): Promise<string>;
  /** Logs in by mailed code and answers the session token. */
  login(email: string, claims?: object): Promise<string>;
  asHolder(method: string, path: string, token: string, body?: unknown): Promise<RestAnswer>;
  close(): Promise<void>;
}

/** Starts a gateway with one partner. */
export async function startWorld(env: Record<string, string> = {}): Promise<World> {
  const clock = { now: Date.now() };
  const gateway = await startGateway({ env, clock: () => clock.now });
  const partnerId = randomUUID();
  const key = keyPair('p256', 'k1');
  await putPartner(gateway, partnerId, key);
  const token = (claims: object = {}, id = partnerId): string =>
    jws(
      { alg: 'ES256', typ: 'JWT', kid: 'k1' },
      { partnerId: id, scope: 'issue', exp: Math.floor(clock.now / 1_000) + 300, ...claims },
      key.privateKey,
      'ES256',
    );
  const asPartner = (path: string, body: unknown = {}, claims: object = {}) =>
    gateway.rest('POST', path, { body, headers: { 'x-partner-auth': token(claims) } });
  const asHolder = (method: string, path: string, session: string, body?: unknown) =>
    gateway.rest(method, path, { body, headers: { authorization: `Bearer ${session}` } });
  const lastCode = async (email: string): Promise<string> => {
    const { body } = await gateway.admin('GET', `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`);
    return body.messages.at(-1).code;
  };
  const login = async (email: string, claims: object = {}): Promise<string> => {
    const { body } = await asPartner('/v1/auth/login', {}, { email, ...claims });
    const answer = await gateway.rest('POST', '/v1/auth/verify', {
      body: { loginId: body.loginId, code: await lastCode(email) },
    });
    return answer.body.token;
  };
  return {
    gateway,
    clock,
    partnerId,
    key,
    token,
    asPartner,
    asHolder,
    lastCode,
    login,
    initialize: (email) => asPartner('/v1/auth/initialize-user', { email }),
    close: () => gateway.close(),
  };
}

/** Registers a partner with this key. */
export async function putPartner(gateway: TestGateway, partnerId: string, key: KeyPair): Promise<void> {
  const body = { name: 'Acme', scopes: ['issue', 'verify'], jwks: { keys: [key.jwk] } };
  await gateway.admin('PUT', `/v1/admin/partners/${partnerId}`, { body });
}

/** A device's key pair, as the contract writes its public half. */
export function device() {
  const pair = generateKeyPairSync('x25519');
  return { ...pair, hex: `0x${pair.publicKey.export({ type: 'spki', format: 'der' }).toString('hex')}` };
}

/** Opens a wrapped key by the contract's steps, written from the contract and not from our code. */
export function unwrap(wrapped: Record<string, string>, devicePrivateKey: ReturnType<typeof createPrivateKey>) {
  const bytes = (name: string): Buffer => Buffer.from(wrapped[name] ?? '', 'base64');
  const publicKey = createPublicKey({ key: bytes('dataEncPublicKey'), format: 'der', type: 'spki' });
  const secret = diffieHellman({ privateKey: devicePrivateKey, publicKey });
  const key = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), 'data-enc-aes-256-gcm', 32));
  const decipher = createDecipheriv('aes-256-gcm', key, bytes('iv')).setAuthTag(bytes('authTag'));
  const pkcs8 = Buffer.concat([decipher.update(bytes('encryptedData')), decipher.final()]);
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
}

// What the partner tests share: a partner with keys of its own, tokens signed by hand so that every rule can be broken, and a
// counted server for addresses that must never be called.
import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PartnerRow } from '../../src/partners/models.js';

export const NOW = Date.UTC(2026, 0, 31, 12, 0, 0);
export const NOW_S = NOW / 1_000;

export interface KeyPair {
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  jwk: Record<string, unknown>;
}

/** Makes a signing key pair with its public JWK. */
export function keyPair(type: 'rsa' | 'p256', kid: string): KeyPair {
  const pair =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid, ...pair, jwk: { ...pair.publicKey.export({ format: 'jwk' }), kid } };
}

/** A stored partner in which fields that a test does not need have default values. */
export function partnerRow(fields: Partial<PartnerRow>): PartnerRow {
  const at = new Date(NOW);
  return {
    _id: randomUUID(),
    name: 'Partner',
    jwksUri: null,
    jwks: null,
    scopes: ['issue', 'verify'],
    issuerDids: [],
    issueOnBehalf: false,
    allowedOrigins: [],
    requireTyp: true,
    live: true,
    version: 1,
    etag: 'e',
    createdAt: at,
    updatedAt: at,
    ...fields,
  };
}

const b64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

const SIGNERS: Record<string, (input: Buffer, key: KeyObject) => Buffer> = {
  RS256: (input, key) => sign('sha256', input, key),
  RS384: (input, key) => sign('sha384', input, key),
  RS512: (input, key) => sign('sha512', input, key),
  PS256: (input, key) => sign('sha256', input, { key, padding: 6, saltLength: 32 }),
  ES256: (input, key) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' }),
  ES384: (input, key) => sign('sha384', input, { key, dsaEncoding: 'ieee-p1363' }),
  EdDSA: (input, key) => sign(null, input, key),
};

/**
 * Signs any header and claims by hand; they are objects, or JSON text that no object can represent. `how` overrides
 * header.alg.
 */
export function jws(header: unknown, claims: unknown, key: KeyObject, how: string): string {
  const input = `${b64(header)}.${b64(claims)}`;
  const signer = SIGNERS[how];
  if (signer === undefined) throw new Error(`no signer ${how}`);
  return `${input}.${signer(Buffer.from(input), key).toString('base64url')}`;
}

/** The same with a shared secret. */
export function hmacJws(header: unknown, claims: unknown, secret: string | Buffer): string {
  const input = `${b64(header)}.${b64(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

/** A server on loopback that counts its requests. */
export async function countedServer(listener: RequestListener): Promise<CountedServer> {
  let requests = 0;
  const server = http.createServer((request, response) => {
    requests += 1;
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests, close };
}

export interface CountedServer {
  url: string;
  requests(): number;
  close(): Promise<void>;
}

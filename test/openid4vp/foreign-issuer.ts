// An issuer that is not the gateway's: it signs SD-JWT VCs with jose and node:crypto, and serves status lists and its keys.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync } from 'node:zlib';
import { SignJWT } from 'jose';
import { type Key, newKey } from '../openid4vci/wallet.js';
import { authority, type Certified, certify, derOf, keyOf, pemOf } from './authority.js';
import type { Held } from './wallet.js';

const VCT = 'urn:eudi:pid:1';
const seconds = (): number => Math.floor(Date.now() / 1_000);
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** @param name a hash function as `_sd_alg` names it */
const digest = (text: string, name: unknown): string =>
  createHash(String(name).replace('-', '')).update(text).digest('base64url');

export interface Issued {
  /** Claims that the holder may hide, at the top. */
  claims?: Record<string, unknown>;
  /** Further members of the payload, which everybody sees. */
  payload?: Record<string, unknown>;
  header?: object;
  /** Signs the credential. */
  key?: Key;
  x5c?: readonly Certified[];
}

/** How a status list is changed by a test. */
export interface ListChanges {
  payload?: object;
  header?: object;
  key?: Key;
  /** Writes the response itself. */
  respond?: (response: ServerResponse, jwt: string) => void;
}

export interface ForeignIssuer {
  root: Certified;
  leaf: Certified;
  /** PEM of the root. */
  anchor: string;
  url: string;
  /** Addresses that were asked for. */
  asked: string[];
  /** Statuses by place; two bits each. */
  statuses: Map<number, number>;
  list: ListChanges;
  /** Signs by certificate. */
  issue(issued?: Issued): Promise<Held>;
  /** A status at a place of its list. @param at path of the list */
  statusAt(idx: number, at?: string): { status_list: { uri: string; idx: number } };
  /** What jwt-vc-issuer serves. */
  metadata: (url: string) => object;
  close(): Promise<void>;
}

export const PERSON = { given_name: 'Ada Canary', birthdate: '1990-02-03', nationalities: ['CH'] };

export async function startForeignIssuer(): Promise<ForeignIssuer> {
  const root = await authority('Foreign root');
  const leaf = await certify('Foreign issuer', root);
  const own = await keyOf(leaf);
  const statuses = new Map<number, number>();
  const server = createServer((request, response) => {
    issuer.asked.push(request.url ?? '');
    if (request.url?.startsWith('/.well-known/')) return void response.end(JSON.stringify(issuer.metadata(issuer.url)));
    void listOf(issuer, `${issuer.url}${request.url}`, own).then((jwt) => {
      if (issuer.list.respond) return issuer.list.respond(response, jwt);
      response.writeHead(200, { 'content-type': 'application/statuslist+jwt' });
      response.end(jwt);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: ForeignIssuer = {
    ...{ root, leaf, anchor: pemOf(root), url, statuses, asked: [], list: {} },
    issue: async ({ claims = PERSON, payload = {}, header, key = own, x5c = [leaf] } = {}) => {
      const disclosures = Object.entries(claims).map(([name, value]) =>
        encode([randomBytes(16).toString('base64url'), name, value]),
      );
      const holder = await newKey();
      const content = { vct: VCT, iat: seconds() - 60, cnf: { jwk: holder.jwk }, _sd_alg: 'sha-256', ...payload };
      const digests = disclosures.map((text) => digest(text, content._sd_alg)).sort();
      const jwt = await new SignJWT({ ...content, _sd: digests, ...payload })
        .setProtectedHeader({ alg: 'ES256', typ: 'dc+sd-jwt', x5c: x5c.map(derOf), ...header })
        .sign(key.privateKey as never);
      return { credential: `${[jwt, ...disclosures].join('~')}~`, key: holder };
    },
    statusAt: (idx, at = '/list') => ({ status_list: { uri: `${url}${at}`, idx } }),
    metadata: (iss) => ({ issuer: iss, jwks: { keys: [{ ...own.jwk, kid: 'one' }] } }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return issuer;
}

async function listOf({ statuses, leaf, list }: ForeignIssuer, uri: string, own: Key): Promise<string> {
  const bytes = Buffer.alloc(1_024);
  for (const [idx, status] of statuses) bytes[idx >> 2] = (bytes[idx >> 2] ?? 0) | (status << ((idx & 3) * 2));
  const lst = deflateSync(bytes).toString('base64url');
  const content = { sub: uri, iat: seconds(), exp: seconds() + 600, ttl: 1, status_list: { bits: 2, lst } };
  return new SignJWT({ ...content, ...list.payload })
    .setProtectedHeader({ alg: 'ES256', typ: 'statuslist+jwt', x5c: [derOf(leaf)], ...list.header })
    .sign((list.key ?? own).privateKey as never);
}

// Token Status List (draft-ietf-oauth-status-list): the status of a credential by its place in a signed list.
import type { X509Certificate } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { importJWK } from 'jose';
import { type Credential, publishedKeys } from './credential.js';
import { hasOnly, type Json, must, numberOf, objectOf, textOf } from './faults.js';
import { headerOf, verifyJwt, verifyJwtOfChain } from './jws.js';
import { mustBeOf, send } from './strict-http.js';

const BITS = [1, 2, 4, 8];
/** A list of a million places of a bit. */
const MOST_BYTES = 131_072;

/** The status at a place: counted from the lowest bit of the first byte. */
export function statusAt({ bits, lst }: Json, idx: number): number {
  const width = numberOf(bits, 'status_list.bits', 1);
  must(BITS.includes(width), 'status_list.bits is 1, 2, 4 or 8');
  const text = textOf(lst, 'status_list.lst');
  must(/^[\w-]+$/.test(text), 'status_list.lst is base64url without padding');
  const bytes = inflateSync(Buffer.from(text, 'base64url'), { maxOutputLength: MOST_BYTES });
  const place = idx * width;
  const byte = bytes[Math.floor(place / 8)];
  must(byte !== undefined, `the list has a place ${idx}`);
  return (byte >> (place % 8)) & (2 ** width - 1);
}

async function verified(token: string, iss: string, roots: readonly X509Certificate[]): Promise<Json> {
  const header = headerOf(token);
  if (header.x5c !== undefined) return verifyJwtOfChain(token, roots, 'statuslist+jwt');
  const key = (await publishedKeys(iss)).find(({ kid }) => kid === header.kid);
  must(key !== undefined, 'the kid of a status list is a key of the issuer');
  return verifyJwt(token, await importJWK(key, 'ES256'), 'statuslist+jwt');
}

/** @returns the status of a credential, 0 for a valid one, and what the list says of itself */
export async function fetchStatus(
  { status, iss }: Pick<Credential, 'status' | 'iss'>,
  roots: readonly X509Certificate[],
): Promise<{ status: number; claims: Json }> {
  must(status !== undefined, 'the credential has a status');
  const answer = await send(status.uri, { headers: { accept: 'application/statuslist+jwt' } });
  must(answer.status === 200, `a status list is sent with 200, not ${answer.status}`);
  mustBeOf(answer, 'application/statuslist+jwt');
  must(answer.headers.get('access-control-allow-origin') === '*', 'pages of any origin read status lists');
  const claims = await verified(answer.text, iss, roots);
  must(claims.sub === status.uri, 'the sub of a status list is its address');
  numberOf(claims.iat, 'iat of a status list');
  if (claims.ttl !== undefined) numberOf(claims.ttl, 'ttl', 1);
  const list = objectOf(claims.status_list, 'status_list');
  hasOnly(list, ['bits', 'lst', 'aggregation_uri'], 'status_list');
  return { status: statusAt(list, status.idx), claims };
}

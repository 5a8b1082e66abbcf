// Requests of wallets with one thing wrong, for the tests that a credential issuer refuses them.
import { createHash, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect } from 'vitest';
import { Issuance } from './issuance.js';
import { createKey, type WalletKey } from './keys.js';
import { SUBJECT, type World } from './world.js';

let people = 0;
export const seconds = () => Math.floor(Date.now() / 1_000);

export interface Open {
  issuance: Issuance;
  offerId: string;
  code: string;
  email: string;
}

export async function opened(world: World, changes: object = {}): Promise<Open> {
  const email = `person${++people}@example.org`;
  const { body } = await world.offer({ email, ...changes });
  const issuance = await Issuance.open(body.offerUri, { roots: world.roots });
  return { issuance, email, offerId: body.offerId, code: await world.codeFor(email) };
}
/** An offer whose wallet has a token. */
export async function authorized(world: World): Promise<Open> {
  const open = await opened(world);
  await open.issuance.authorization.requestToken(open.code);
  return open;
}

export const stateOf = async (world: World, offerId: string) =>
  (await world.partner('GET', `/v1/offers/${offerId}`)).body.state;

/** Status and error of a request. */
export async function errorOf(url: string, init: RequestInit): Promise<string> {
  const answer = await fetch(url, { method: 'POST', ...init });
  const text = await answer.text();
  return text.startsWith('{') ? `${answer.status} ${JSON.parse(text).error}` : `${answer.status} ${text}`;
}

export const jwt = (key: WalletKey['privateKey'], header: object, claims: object): Promise<string> =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', ...header }).sign(key, { crit: { later: true } });

export interface ProofParts {
  key: WalletKey;
  header: object;
  claims: object;
}
/** A proof with these parts changed. */
export async function proofOf(
  { issuance }: Open,
  change: (parts: ProofParts) => Partial<ProofParts> | Promise<Partial<ProofParts>>,
): Promise<string> {
  const key = await createKey();
  const claims = { aud: issuance.offer.issuer, iat: seconds(), nonce: await issuance.nonce() };
  const parts: ProofParts = { key, header: { typ: 'openid4vci-proof+jwt', jwk: key.jwk }, claims };
  const { header, claims: said, key: signer } = { ...parts, ...(await change(parts)) };
  return jwt(signer.privateKey, header, JSON.parse(JSON.stringify(said)));
}
/** Sends proofs in a credential request. */
export async function sendProofs({ issuance }: Open, proofs: unknown, accessToken?: string): Promise<string> {
  const { authorization } = issuance;
  const json = { ...authorization.credential(), proofs };
  const url = String(issuance.metadata.credential_endpoint);
  const answer = await authorization.post(url, { json }, accessToken ?? authorization.accessToken);
  return `${answer.status} ${JSON.parse(answer.text).error}`;
}
/** After whatever was refused, the wallet gets its credential, and its subject is what was offered. */
export async function stillGets(world: World, { issuance, offerId }: Open): Promise<void> {
  expect((await issuance.credentials(1))[0]?.claims).toMatchObject(SUBJECT);
  expect(await stateOf(world, offerId)).toBe('issued');
}

export interface DpopChanges {
  accessToken?: string;
  header?: object;
  claims?: object;
  key?: WalletKey;
}
/** A DPoP proof for the credential endpoint, with these parts changed. */
export function dpopOf({ issuance }: Open, { accessToken = '', header, claims, key }: DpopChanges): Promise<string> {
  const { dpopKey } = issuance.authorization;
  const { jwk, privateKey } = key ?? dpopKey;
  const ath = createHash('sha256').update(accessToken).digest('base64url');
  const htu = String(issuance.metadata.credential_endpoint);
  const said = { jti: randomUUID(), htm: 'POST', htu, iat: seconds(), ath, ...claims };
  return jwt(privateKey, { typ: 'dpop+jwt', jwk, ...header }, JSON.parse(JSON.stringify(said)));
}

// A gateway with an issuer, a credential and a partner, for the benchmarks of the chain.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { GatewayProcess } from './gateway-process.js';

/** Bytes in hex with 0x. */
export type Hex = `0x${string}`;

const POLL_MS = 20;
const PARTNER = randomUUID();

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
export type Answer = any;
export type Call = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>;

/** An issuer and a partner at a gateway. */
export interface Registered {
  call: Call;
  issuerDid: string;
  token(claims?: object): Promise<string>;
}

export interface Setting extends Registered {
  contracts: { accountFactory: Hex; entryPoint: Hex };
}

/** Calls a gateway; throws when it refuses. */
const caller =
  (url: string): Call =>
  async (method, path, body, headers = {}) => {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const init = {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const answer = await fetch(url + path, init);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };

/** Asks until there is something. */
export async function once<T>(ask: () => Promise<T | null | undefined | false>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    await delay(POLL_MS);
  }
}

/** Registers an issuer with a credential, and a partner. */
export async function prepare(gateway: GatewayProcess): Promise<Registered> {
  const call = caller(gateway.url);
  const { issuerDid } = await gateway.put('issuers/bench', { name: 'Bench', issuerFrom: 'bench', managed: true });
  const point = { name: 'note', type: 'string', isRequired: true, description: '' };
  await gateway.put('schemas/bench', { title: 'Bench', description: '', dataPoints: [point] });
  await gateway.put('credentials/bench', { name: 'B', category: 'B', issuerId: 'bench', schemaId: 'bench' });
  const keys = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
  const rights = { scopes: ['issue'], issuerDids: [issuerDid], issueOnBehalf: true };
  await gateway.put(`partners/${PARTNER}`, { name: 'Bench', jwks: { keys: [jwk] }, ...rights });
  const token = (claims: object = {}) =>
    new SignJWT({ partnerId: PARTNER, scope: 'issue', ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k' })
      .setExpirationTime('14m')
      .sign(keys.privateKey);
  return { call, issuerDid: String(issuerDid), token };
}

/** One issuance; returns its coreClaimHash. */
export async function issue({ call, issuerDid, token }: Registered): Promise<string> {
  const email = `${randomUUID()}@example.org`;
  const body = { issuerDid, credentialId: 'bench', credentialSubject: { note: 'x' }, email };
  const headers = { 'x-partner-auth': await token() };
  return (await call('POST', '/v1/credentials/issue-on-behalf', body, headers)).coreClaimHash;
}

/** Waits until a claim is on the chain; returns its anchor. */
export function anchored({ call }: Registered, coreClaimHash: string): Promise<{ transactionHash: string }> {
  return once(async () => (await call('GET', `/v1/credentials/status?coreClaimHash=${coreClaimHash}`)).anchor);
}

/** Has the devnet started and its contracts deployed, by a first issuance. */
export async function withContracts(registered: Registered): Promise<Setting> {
  await issue(registered);
  const contracts = await once(async () => {
    const known = (await registered.call('GET', '/v1/chain')).contracts;
    return known.accountFactory && known;
  });
  return { ...registered, contracts };
}

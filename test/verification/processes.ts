// Verifications over gateways that are processes of their own, and may be killed in between.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Held, PresentingWallet } from '../openid4vp/wallet.js';
import type { GatewayProcess } from '../support/gateway-process.js';
import { SCHEMA } from '../support/membership.js';
import { persistently } from '../support/persistently.js';
import { registerPartner } from '../support/partner.js';
import { PUBLIC } from './wallets/world.js';
import {
  asVerifier,
  type HeldCredential,
  type Holder,
  holderOf,
  issueTo,
  PROGRAM,
  pointsOf,
  proofOf,
  putProgram,
  type Reach,
  termsOf,
} from './world.js';

/** One verification: started at one gateway, answered at the other; resolves with how it ends. */
export async function verifyOne(one: Reach, two: Reach, holder: Holder, credential: HeldCredential): Promise<string> {
  const key = { 'idempotency-key': randomUUID() };
  const start = () => asVerifier(one, 'POST', '/v1/verifications', { programId: PROGRAM }, key);
  const { verificationId: id } = (await persistently(start)).body;
  const { headers } = holder;
  const path = `/v1/verifications/${id}`;
  const { body: request } = await persistently(() => two.gateway.rest('GET', `${path}/request`, { headers }));
  const proof = await proofOf(await termsOf(two, request, credential), credential);
  const answer = await persistently(() => two.gateway.rest('POST', `${path}/answer`, { body: proof, headers }));
  // 409: the answer was taken by a process that died before it said so.
  expect([200, 409]).toContain(answer.status);
  return endOf(one, id);
}

/** The same, if a wallet of others answers. */
export async function verifyByWallet(one: Reach, two: Reach, held: Held[]): Promise<string> {
  const body = { programId: PROGRAM, wallet: { flow: 'cross_device' } };
  const key = { 'idempotency-key': randomUUID() };
  const started = (await persistently(() => asVerifier(one, 'POST', '/v1/verifications', body, key))).body;
  const wallet = new PresentingWallet(held, (url) => url.replace(PUBLIC, two.gateway.url));
  for (;;) {
    // An answer that was taken by a process that died before it said so: the request is gone.
    const answer = await wallet.answer(started.wallet.uri).catch((error: Error) => error);
    if (!(answer instanceof Error) && answer.status === 200) break;
    if (answer instanceof Error && answer.message.includes('a wallet has answered it')) break;
    await delay(100);
  }
  return endOf(one, started.verificationId);
}

/** How a verification ends. */
async function endOf(reach: Reach, id: string): Promise<string> {
  for (;;) {
    const { body } = await persistently(() => asVerifier(reach, 'GET', `/v1/verifications/${id}?wait=5`));
    if (body.state === 'closed') return body.result.status;
  }
}

/** A partner, an issuer, its credential and the program, over a gateway of its own process. */
export async function reachOf(gateway: GatewayProcess): Promise<Reach> {
  const put = (path: string, body: object) => gateway.admin('PUT', `/v1/admin/${path}`, { body });
  const { issuerDid } = (await put('issuers/club', { name: 'Club', issuerFrom: 'test', managed: true })).body;
  await put(`schemas/${encodeURIComponent(SCHEMA.$id)}`, { jsonSchema: SCHEMA });
  await put('credentials/member', { name: 'Member', category: 'Club', issuerId: 'club', schemaId: SCHEMA.$id });
  const partner = await registerPartner(gateway.asGateway, [issuerDid]);
  await putProgram({ gateway }, PROGRAM, ['level = 3']);
  return { gateway, partner, issuerDid };
}

/** Holders of the credential `member`. */
export async function holdersOf(world: Reach, count: number): Promise<[Holder, HeldCredential][]> {
  const holders: [Holder, HeldCredential][] = [];
  for (let at = 0; at < count; at += 1) {
    const holder = await holderOf(world, `holder-${at}@example.org`);
    const credential = await issueTo(world, holder);
    await pointsOf(world, credential);
    holders.push([holder, credential]);
  }
  return holders;
}

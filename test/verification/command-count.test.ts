// Each step of the flow costs a fixed number of database commands: as many for a program of eight credentials, of which the holder has eight
// claims, as for one of one; a list of ten records as many as a list of one.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { SCHEMA } from '../support/membership.js';
import { type RequestCommands, requestCommandsOf } from '../support/request-commands.js';
import { answerTo, asVerifier, type Holder, holderOf, putProgram, requestOf, startWorld, type World } from './world.js';

const CREDENTIALS = 8;
const IDS = Array.from({ length: CREDENTIALS }, (_, at) => `kind-${at}`);
const CONDITIONS = ['level >= 2', 'note in ["gold", "silver"]'];

let world: World;
let holder: Holder;
let commands: RequestCommands;
beforeAll(async () => {
  world = await startWorld({ monitorCommands: true });
  holder = await holderOf(world, 'ada@example.org');
  const accepted = IDS.map((credentialId) => ({ credentialId, verificationConditions: CONDITIONS }));
  for (const id of IDS) {
    const body = { name: id, category: 'Club', issuerId: 'club', schemaId: SCHEMA.$id };
    await world.gateway.admin('PUT', `/v1/admin/credentials/${id}`, { body });
    const credentialSubject = { level: 3, since: '2024-02-29', note: 'gold' };
    const issuance = { issuerDid: world.issuerDid, credentialId: id, credentialSubject, email: holder.email };
    await world.partner.rest('POST', '/v1/credentials/issue-on-behalf', issuance);
  }
  const disclose = true;
  await putProgram(world, 'narrow', [], { disclose, acceptedCredentials: accepted.slice(0, 1) });
  await putProgram(world, 'wide', [], { disclose, acceptedCredentials: accepted });
  commands = requestCommandsOf(world.gateway, (collection) => !KEPT.has(collection));
  // However far the change stream of a busy machine is behind, the catalog is in memory: only this process writes.
  vi.spyOn(world.gateway.app.services.catalogChanges, 'trusted', 'get').mockReturnValue(true);
});
afterAll(() => world?.gateway.close());

/** In memory for some seconds, then read again; and what counts requests. */
const KEPT: ReadonlySet<string> = new Set(['signingKeys', 'zkKeys', 'partners', 'rateLimits']);

/** The commands of one request. */
async function costOf<T>(work: () => Promise<T>): Promise<{ result: T; cost: string[] }> {
  const { result, commands: sent } = await commands.of(work);
  return { result, cost: sent.sort() };
}

async function costsOf(programId: string): Promise<Record<string, string[]>> {
  const started = await costOf(() => asVerifier(world, 'POST', '/v1/verifications', { programId }));
  const id = started.result.body.verificationId;
  // The first makes accumulators and the caches.
  const { body } = await requestOf(world, holder, id);
  expect(body.candidates).toHaveLength(body.accepted.length);
  const requested = await costOf(() => requestOf(world, holder, id));
  const shown = await costOf(() => world.gateway.rest('GET', `/v1/programs/${programId}/proof-request`));
  const answered = await costOf(() => answerTo(world, holder, id, { cannot: true }));
  expect(answered.result.body).toEqual({ result: { status: 'Non-Compliant' } });
  const asked = await costOf(() =>
    asVerifier(world, 'POST', '/v1/verifications', { programId, wallet: { flow: 'cross_device' } }),
  );
  expect(asked.result.body.wallet.uri).toMatch(/^openid4vp:/);
  return {
    asked: asked.cost,
    started: started.cost,
    requested: requested.cost,
    shown: shown.cost,
    answered: answered.cost,
  };
}

/** The smallest costs of four times: the first reads what is then cached, and background work may fall into any. */
async function leastCostsOf(programId: string): Promise<Record<string, string[]>> {
  const least = await costsOf(programId);
  for (let more = 0; more < 3; more += 1)
    for (const [request, cost] of Object.entries(await costsOf(programId)))
      if (cost.length < (least[request]?.length ?? 0)) least[request] = cost;
  return least;
}

it('the number of commands does not depend on what a program accepts', async () => {
  const narrow = await leastCostsOf('narrow');
  const wide = await leastCostsOf('wide');
  expect(wide).toEqual(narrow);
  expect(narrow.requested?.length).toBeGreaterThan(4);
});

it('the number of commands does not depend on the size of a page', async () => {
  for (let more = 0; more < 10; more += 1)
    await asVerifier(world, 'POST', '/v1/verifications', { programId: 'narrow' });
  const list = (limit: number) => costOf(() => asVerifier(world, 'GET', `/v1/verifications?limit=${limit}`));
  const [one, ten] = [await list(1), await list(10)];
  expect(ten.result.body.items).toHaveLength(10);
  expect(ten.cost).toEqual(one.cost);
});

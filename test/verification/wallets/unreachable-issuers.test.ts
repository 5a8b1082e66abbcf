// Issuers of others that cannot be reached for a moment: the wallet is asked to send its answer again, and nothing is decided, but not for ever.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PERSON, startForeignIssuer } from '../../openid4vp/foreign-issuer.js';
import { type Held, PresentingWallet } from '../../openid4vp/wallet.js';
import { recordOf } from '../world.js';
import { FOREIGN, type ForeignWorld, startForeignWorld } from './foreign-world.js';

let world: ForeignWorld;
let ahead = 0;
/** The time from which a test counts, however long its requests take. */
let start: number | undefined;
beforeAll(async () => {
  world = await startForeignWorld({ clock: () => (start ?? Date.now()) + ahead });
  await world.program('adults', { identity: ['birthdate <= today - 18 years'] });
});
afterAll(async () => {
  await world?.foreign.close();
  await world?.gateway.close();
});
beforeEach(() => {
  ahead = 0;
  start = undefined;
  world.foreign.list = {};
});

const AGE = { claims: { ...PERSON, age_over_18: true } };
const OPEN = { state: 'open', result: { status: 'Pending' } };
let lists = 0;
/** A credential with a status list of its own. */
const held = (uri?: string): Promise<Held> => {
  const status = uri === undefined ? world.foreign.statusAt(3, `/list-${++lists}`) : { status_list: { uri, idx: 1 } };
  return world.foreign.issue({ ...AGE, payload: { status } });
};
/** A verification, and how its wallet sends one and the same answer. */
async function answering(credential: Held) {
  const { body } = await world.start({ programId: 'adults' });
  const wallet = new PresentingWallet([credential], world.own);
  const { request } = await wallet.fetch(body.wallet.uri);
  const presentation = await wallet.present(request, credential, ['age_over_18']);
  const response = await wallet.encrypt({ vp_token: { c0: [presentation] }, state: request.state }, request);
  return { send: () => wallet.post(request, { response }), record: () => recordOf(world, body.verificationId) };
}
async function expectPutOff({ send, record }: Awaited<ReturnType<typeof answering>>): Promise<void> {
  const answer = await send();
  expect(answer).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
  expect(answer.headers.get('retry-after')).toBe('10');
  expect(await record()).toMatchObject(OPEN);
}

describe('A status list that cannot be read now', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['503', (response) => void response.writeHead(503).end()],
    ['500', (response) => void response.writeHead(500).end('<h1>')],
    ['429', (response) => void response.writeHead(429).end()],
    ['a connection that breaks', (response) => void response.destroy()],
    ['half a response', (response) => void response.writeHead(200, { 'content-length': '900' }).end('ey')],
    ['no response in 5 s', () => {}],
  ])('(%s) puts the answer off, and the same answer counts later', async (_what, respond) => {
    const one = await answering(await held());
    world.foreign.list = { respond };
    await expectPutOff(one);
    world.foreign.list = {};
    ahead = 10_000;
    expect((await one.send()).status).toBe(200);
    expect(await one.record()).toMatchObject({ state: 'proved', credentialId: 'identity' });
  });

  it.each(['http://127.0.0.1:9/list', 'https://lists.invalid/list'])('(nobody at %s) puts it off too', async (uri) => {
    await expectPutOff(await answering(await held(uri)));
  });

  it('decides at the third try after 10 s each; those between do not count', async () => {
    start = Date.now();
    const one = await answering(await held());
    world.foreign.list = { respond: (response) => void response.writeHead(503).end() };
    for (const at of [0, 1_000, 9_000, 10_000, 15_000]) {
      ahead = at;
      await expectPutOff(one);
    }
    ahead = 20_100;
    expect((await one.send()).status).toBe(200);
    expect(await one.record()).toMatchObject({ result: { status: 'Non-Compliant' }, reason: 'status' });
  });

  it('does not put off what is expired or not met anyway', async () => {
    const payload = { ...{ exp: Math.floor(Date.now() / 1_000) - 40 }, status: world.foreign.statusAt(3, '/expired') };
    world.foreign.list = { respond: (response) => void response.writeHead(503).end() };
    const one = await answering(await world.foreign.issue({ ...AGE, payload }));
    expect((await one.send()).status).toBe(200);
    expect(await one.record()).toMatchObject({ result: { status: 'Expired' } });
  });
});

describe('Keys of an issuer that cannot be read now', () => {
  it('put the answer off, and decide at the third try', async () => {
    let isBusy = true;
    const foreign = await startForeignIssuer();
    const server = createServer((_request, response) => {
      if (isBusy) return void response.writeHead(502).end();
      response.end(JSON.stringify(foreign.metadata(url)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const body = { ...FOREIGN, walletIssuer: url };
    expect((await world.gateway.admin('PUT', '/v1/admin/issuers/foreign', { body })).status).toBe(200);
    const credential = await foreign.issue({ ...AGE, payload: { iss: url }, header: { kid: 'one', x5c: undefined } });
    const [one, other] = [await answering(credential), await answering(credential)];
    await expectPutOff(one);
    for (const at of [0, 10_000]) {
      ahead = at;
      await expectPutOff(other);
    }
    ahead = 20_000;
    expect((await other.send()).status).toBe(200);
    expect(await other.record()).toMatchObject({ state: 'closed', reason: 'proof' });
    isBusy = false;
    ahead = 30_000;
    expect((await one.send()).status).toBe(200);
    expect(await one.record()).toMatchObject({ state: 'proved' });
    await new Promise((resolve) => server.close(resolve));
    await foreign.close();
  });
});

// Promises of passkeys over HTTP: they prove a second factor to every guarded door, and a response that is wrong in any part proves nothing.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Authenticator, type Ceremony, cborBytes, cborList, cborMap, cborText } from '../support/authenticator.js';
import { holderModels } from '../../src/holders/models.js';
import type { RestAnswer } from '../support/gateway.js';
import { asksForProof, HERE, ORIGIN, PASSKEYS, RP_ID, requestsOf, SHOP, startPasskeyWorld } from './passkey-support.js';
import { startWorld, type World } from './support.js';

let world: World;
beforeAll(async () => {
  world = await startPasskeyWorld();
});
afterAll(() => world.close());

let email: string;
let session: string;
beforeEach(async () => {
  // Logins are limited for each partner.
  world.clock.now += 3_600_000;
  email = `${randomUUID()}@example.com`;
  session = await world.login(email);
});

const as = (token: string, method: string, path: string, body?: unknown) =>
  requestsOf(world, token).as(method, path, body);
const creation = (token = session) => requestsOf(world, token).creation();
const assertion = (token = session) => requestsOf(world, token).assertion();
const prove = (response: unknown, token = session) => requestsOf(world, token).prove(response);
const add = (authenticator: Authenticator, ceremony = HERE, token = session) =>
  requestsOf(world, token).add(authenticator, ceremony);
const me = () => requestsOf(world, session).me();
/** Another session, which has proved nothing. */
const another = async (): Promise<string> => {
  world.clock.now += 1_000;
  return world.login(email);
};

describe('A passkey', () => {
  it('a passkey is made by options for this holder, is listed, and proves for 15 minutes what a code alone does not', async () => {
    const authenticator = new Authenticator();
    const options = await creation();
    expect(options).toMatchObject({
      rp: { id: RP_ID },
      user: { name: email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [],
    });
    const response = authenticator.create(options, HERE);
    const made = await as(session, 'POST', PASSKEYS, { response, name: ' Laptop ' });
    const passkey = { id: response.id, name: 'Laptop', createdAt: new Date(world.clock.now).toISOString() };
    expect([made.status, made.body]).toEqual([201, { ...passkey, lastUsedAt: null }]);
    const other = await another();
    expect(asksForProof(await as(other, 'POST', `${PASSKEYS}/options`))).toBe(true);
    const asked = await assertion(other);
    expect(asked).toMatchObject({ rpId: RP_ID, userVerification: 'required', allowCredentials: [{ id: response.id }] });
    expect((await prove(authenticator.get(asked, HERE), other)).status).toBe(204);
    const { items } = (await as(other, 'GET', PASSKEYS)).body;
    expect(items).toEqual([{ ...passkey, lastUsedAt: new Date(world.clock.now).toISOString() }]);
    expect((await as(other, 'POST', `${PASSKEYS}/options`)).body.excludeCredentials).toMatchObject([
      { id: response.id },
    ]);
    world.clock.now += 15 * 60_000;
    expect(asksForProof(await as(other, 'POST', `${PASSKEYS}/options`))).toBe(true);
  });

  it('a passkey may be made and used in a frame of an allowed page, whether the browser tells the page or not', async () => {
    for (const ceremony of [{ origin: ORIGIN, topOrigin: SHOP }, { origin: ORIGIN, crossOrigin: true }, HERE]) {
      const own = new Authenticator();
      expect((await add(own, ceremony)).status).toBe(201);
      expect((await prove(own.get(await assertion(), ceremony))).status).toBe(204);
    }
  });

  it('a passkey that counts its signatures, and one that does not, prove again and again', async () => {
    for (const own of [new Authenticator(true), new Authenticator(false)]) {
      await add(own);
      for (let time = 0; time < 2; time += 1) expect((await prove(own.get(await assertion(), HERE))).status).toBe(204);
    }
  });

  it('a passkey makes isMFASetup true wherever it is told, and its removal makes it false', async () => {
    const told = () =>
      world.gateway.app.connection
        .collection('events')
        .find({ type: 'logged_in' })
        .sort({ _id: -1 })
        .limit(1)
        .toArray()
        .then(([row]) => row?.payload.isMFASetup);
    const gql = async () => {
      const query = '{ me { user { isMFASetup } } }';
      return (await world.gateway.gql(query, {}, { authorization: `Bearer ${session}` })).data.me.user.isMFASetup;
    };
    const rehydrated = async () => (await as(session, 'POST', '/v1/auth/rehydrate')).body.isMFASetup;
    const loggedIn = async () => {
      const { body } = await world.asPartner('/v1/auth/login', {}, { email });
      const code = await world.lastCode(email);
      return (await world.gateway.rest('POST', '/v1/auth/verify', { body: { loginId: body.loginId, code } })).body;
    };
    const all = async () => [
      (await me()).isMFASetup,
      await gql(),
      await rehydrated(),
      (await loggedIn()).isMFASetup,
      await told(),
    ];
    expect(await all()).toEqual(Array(5).fill(false));
    const { id } = (await add(new Authenticator())).body;
    expect(await all()).toEqual(Array(5).fill(true));
    const recovery = { wraps: [{ kind: 'recovery', data: 'AAAA', iv: 'AAAA' }], recoveryProofHash: 'ab'.repeat(32) };
    const headers = { authorization: `Bearer ${session}`, 'if-none-match': '*' };
    const body = { data: 'AAAA', iv: 'AAAA', ...recovery };
    expect((await world.gateway.rest('PUT', '/v1/holders/me/key-backup', { body, headers })).status).toBe(200);
    expect((await as(session, 'DELETE', `${PASSKEYS}/${id}`)).status).toBe(204);
    expect(await all()).toEqual(Array(5).fill(false));
  });

  it('a passkey is one of ten at most, also of twelve that are added at once', async () => {
    const options = await Promise.all(Array.from({ length: 12 }, () => creation()));
    const answers = await Promise.all(
      options.map((one) => as(session, 'POST', PASSKEYS, { response: new Authenticator().create(one, HERE) })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(201), 409, 409]);
    expect((await as(session, 'GET', PASSKEYS)).body.items).toHaveLength(10);
    expect((await as(session, 'POST', `${PASSKEYS}/options`)).status).toBe(409);
  });

  it('of two sessions that add a first passkey at once, only one is the first', async () => {
    const tokens = [session, await another()];
    const options = await Promise.all(tokens.map((token) => creation(token)));
    const answers = await Promise.all(
      tokens.map((token, at) =>
        as(token, 'POST', PASSKEYS, { response: new Authenticator().create(options[at], HERE) }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
  });
});

describe('A response that', () => {
  const authenticator = new Authenticator();
  beforeEach(async () => {
    await add(authenticator);
    session = await another();
  });
  const refused = async (answer: Promise<RestAnswer>): Promise<void> => {
    const { status, body } = await answer;
    expect([status, body.message]).toEqual([400, expect.stringContaining('response')]);
    expect(asksForProof(await as(session, 'POST', `${PASSKEYS}/options`))).toBe(true);
  };

  const WRONG: [string, Ceremony][] = [
    ['is of another origin', { origin: SHOP }],
    ['is of another port', { origin: `http://wallet.gateway.localhost:4001` }],
    ['is of another top origin', { origin: ORIGIN, topOrigin: 'https://evil.example' }],
    ['is of a top origin without a frame', { origin: ORIGIN, topOrigin: 'https://evil.example', crossOrigin: false }],
    ['is to another challenge', { origin: ORIGIN, challenge: randomBytes(32).toString('base64url') }],
    ['is for another relying party', { origin: ORIGIN, rpId: 'localhost' }],
    ['does not verify the user', { origin: ORIGIN, isUserVerified: false }],
    ['is of another ceremony', { origin: ORIGIN, type: 'payment.get' }],
  ];

  it.each(WRONG)('a response that %s proves nothing', async (_name, ceremony) => {
    await refused(prove(authenticator.get(await assertion(), ceremony, authenticator.ids.at(-1))));
  });

  it.each([...WRONG, ['is an attestation with certificates', { origin: ORIGIN, attestation: certified() }] as const])(
    'a response that %s makes no passkey',
    async (_name, ceremony) => {
      await prove(authenticator.get(await assertion(), HERE, authenticator.ids.at(-1)));
      const before = (await as(session, 'GET', PASSKEYS)).body.items.length;
      const made = await add(new Authenticator(), ceremony);
      expect([made.status, made.body.message]).toEqual([400, expect.stringContaining('response')]);
      expect((await as(session, 'GET', PASSKEYS)).body.items).toHaveLength(before);
    },
  );

  it('a response that is sent again proves nothing again', async () => {
    const response = authenticator.get(await assertion(), HERE, authenticator.ids.at(-1));
    expect((await prove(response)).status).toBe(204);
    session = await another();
    await refused(prove(response));
  });

  it('a response that is late, of another session, or to a challenge of the other ceremony proves nothing', async () => {
    const late = authenticator.get(await assertion(), HERE, authenticator.ids.at(-1));
    world.clock.now += 5 * 60_000;
    await refused(prove(late));
    const elsewhere = authenticator.get(await assertion(await another()), HERE, authenticator.ids.at(-1));
    await refused(prove(elsewhere));
    await prove(authenticator.get(await assertion(), HERE, authenticator.ids.at(-1)));
    const { challenge } = await creation();
    session = await another();
    await refused(prove(authenticator.get({ challenge }, HERE, authenticator.ids.at(-1))));
  });

  it('a response that is of another holder’s passkey proves nothing', async () => {
    const options = await assertion();
    const own = new Authenticator();
    const stranger = await world.login(`${randomUUID()}@example.com`);
    await add(own, HERE, stranger);
    await refused(prove(own.get(options, HERE, own.ids[0])));
    // Nor does the own one to somebody else.
    const { challenge } = await assertion(stranger);
    const answer = await prove(authenticator.get({ challenge }, HERE, authenticator.ids.at(-1)), stranger);
    expect(answer.status).toBe(400);
  });

  it('a response that is signed by another key, or of a copy with an older counter, proves nothing', async () => {
    const id = authenticator.ids.at(-1);
    const response = authenticator.get(await assertion(), HERE, id);
    const signature = authenticator.get({ challenge: 'x' }, HERE, id).response.signature;
    await refused(prove({ ...response, response: { ...response.response, signature } }));
    expect((await prove(authenticator.get(await assertion(), HERE, id))).status).toBe(204);
    session = await another();
    await refused(prove(authenticator.get(await assertion(), { ...HERE, counter: 1 }, id)));
  });

  it.each<[string, (body: ReturnType<Authenticator['get']>) => object, string]>([
    [
      'has an output of PRF',
      (body) => ({ ...body, clientExtensionResults: { prf: { results: { first: 'x' } } } }),
      'PRF',
    ],
    ['is huge', (body) => ({ ...body, response: { ...body.response, signature: 'A'.repeat(5_000) } }), 'response'],
    ['is no base64url', (body) => ({ ...body, id: '+' }), 'base64url'],
    ['is empty', () => ({}), 'id'],
    ['has no client data', (body) => ({ ...body, response: { ...body.response, clientDataJSON: 'AAAA' } }), 'response'],
  ])('a response that %s is refused in one sentence', async (_name, wrong, says) => {
    const answer = await prove(wrong(authenticator.get(await assertion(), HERE, authenticator.ids.at(-1))));
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(says)]);
  });

  it('a response that is wrong ten times a day is refused from then on, like wrong recovery proofs', async () => {
    const wrong = async () => prove(authenticator.get(await assertion(), { origin: SHOP }, authenticator.ids.at(-1)));
    for (let time = 0; time < 10; time += 1) expect((await wrong()).status).toBe(400);
    expect((await wrong()).status).toBe(429);
  });
});

/** A certificate that names an address, which nobody should follow. */
function certified() {
  const statement = cborMap(
    [cborText('alg'), Buffer.from([0x26])],
    [cborText('sig'), cborBytes(Buffer.from('signature'))],
    [cborText('x5c'), cborList(cborBytes(Buffer.from('certificate')))],
  );
  return { fmt: 'packed', statement };
}

describe('Where passkeys cannot be', () => {
  it('a gateway that is reached by an IP address refuses passkeys in one sentence, and asks for none', async () => {
    const byAddress = await startWorld({ PUBLIC_URL: 'http://127.0.0.1:4000' });
    const token = await byAddress.login('address@example.com');
    const answer = await byAddress.asHolder('POST', `${PASSKEYS}/options`, token);
    expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining('IP address')]);
    const { body } = await byAddress.asHolder('POST', '/v1/holders/me/mfa/options', token);
    expect(body).toEqual({ options: null, recovery: false });
    await byAddress.close();
  });
});

it('a challenge is gone once it is used', async () => {
  const authenticator = new Authenticator();
  await add(authenticator);
  await prove(authenticator.get(await assertion(), HERE));
  const holderId = (await me()).id;
  expect(await holderModels(world.gateway.app.connection).passkeyChallenges.countDocuments({ holderId })).toBe(0);
});

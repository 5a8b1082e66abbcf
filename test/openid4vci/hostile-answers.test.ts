// What hostile issuers state in answers for wallets: credentials under keys that they publish, 202 for ever, two answers at once, and odd subjects.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startForeignIssuer } from '../openid4vp/foreign-issuer.js';
import { SCHEMA } from '../support/membership.js';
import { CLIENT_ID } from './authorizing.js';
import { errorOf } from './authorizing-world.js';
import { newClaim } from './claims-world.js';
import { given, hostileWorld } from './hostile-world.js';
import { type Answer, type Key, newKey } from './wallet.js';

/** Publishes its keys at an address. */
const published = await startForeignIssuer();
const here = await hostileWorld();
const { world, time, rows, behind, walletAt, own, issuancesOf } = here;
afterAll(() => Promise.all([here.close(), published.close()]));
beforeEach(async () => {
  time.ahead = 0;
  await here.calm();
});

let number = 0;

describe('An issuer that publishes its keys', () => {
  type Given = (key: Key) => Promise<object>;
  const one = { x5c: undefined, kid: 'one' };
  const iss = () => published.url;
  it.each<[string, number, Given]>([
    ['by its key', 200, (key) => given(key, published, { iss: iss() }, one)],
    ['without iss', 503, (key) => given(key, published, {}, one)],
    ['with the iss of another', 503, (key) => given(key, published, { iss: 'https://other.example' }, one)],
    ['with iss and a slash', 503, (key) => given(key, published, { iss: `${iss()}/` }, one)],
    [
      'with a kid that it does not publish',
      503,
      (key) => given(key, published, { iss: iss() }, { ...one, kid: 'two' }),
    ],
    ['with a kid that is a number', 503, (key) => given(key, published, { iss: iss() }, { ...one, kid: 1 })],
    ['by a key of another with its kid', 503, (key) => given(key, world.foreign, { iss: iss() }, one)],
    ['of another type', 503, (key) => given(key, published, { iss: iss(), vct: 'urn:other' }, one)],
    ['for no key of the wallet', 503, async () => given(await newKey(), published, { iss: iss() }, one)],
    [
      'without a signature',
      503,
      async (key) => {
        const { credentials } = (await given(key, published, { iss: iss() }, one)) as { credentials: string[] };
        const [, payload] = credentials[0]?.split('.') ?? [];
        const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'dc+sd-jwt', kid: 'one' })).toString('base64url');
        return { credentials: [`${none}.${payload}.~`] };
      },
    ],
  ])('gives a credential %s: %i', async (_name, status, give) => {
    let body = {};
    const server = await behind((_request, response) => response.end(JSON.stringify(body)));
    const { id, issuerDid, key, ask } = await walletAt(own(server.url, { walletIssuer: published.url }));
    body = { ...(await give(key)), claim: newClaim({ issuerDid, credentialId: id }) };
    expect((await ask()).status).toBe(status);
    expect(await issuancesOf(id)).toBe(status === 200 ? 1 : 0);
  });
});

describe('202 for ever', () => {
  it('ends after 7 days, also with refreshed tokens: no ids or keys wait longer', async () => {
    world.backEnd.answer = () => [202, { interval: 1 }];
    const at = world.at('club');
    const { wallet } = at;
    wallet.clock = here.clock;
    const dpop = await newKey();
    let { body: token } = await world.token(at, 'member', 'waits@example.org', dpop);
    const { body } = await world.ask(at, token.access_token, 'member', { dpop });
    const filter = { holderId: world.backEnd.asked[0]?.body.userId };
    const ends = (await rows('requestedCredentials').findOne(filter))?.expiresAt;
    for (let day = 1; day < 7; day += 1) {
      time.ahead += 86_400_000;
      const refresh = { grant_type: 'refresh_token', refresh_token: token.refresh_token, client_id: CLIENT_ID };
      ({ body: token } = await wallet.token(refresh, dpop));
      const later = await wallet.deferred(token.access_token, body.transaction_id, dpop);
      expect(later).toMatchObject({ status: 202, body: { interval: 1 } });
      expect((await rows('requestedCredentials').findOne(filter))?.expiresAt).toEqual(ends);
    }
    time.ahead += 86_400_000;
    const refresh = { grant_type: 'refresh_token', refresh_token: token.refresh_token, client_id: CLIENT_ID };
    expect(errorOf(await wallet.token(refresh, dpop))).toBe('400 invalid_grant');
    expect(ends.getTime()).toBeLessThanOrEqual(here.clock());
  });
});

describe('Two different answers at once', () => {
  const SUBJECT = { level: 7, since: '2024-01-01' };
  /** Two requests with one token, answered once both have come. */
  async function both(answers: [number, object?][]): Promise<Answer[]> {
    const waiting: (() => void)[] = [];
    world.backEnd.answer = async () => {
      const answer = answers[waiting.length] ?? [500];
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === answers.length) for (const go of waiting) go();
      });
      return answer;
    };
    const at = world.at('club');
    number += 1;
    const { body: token } = await world.token(at, 'member', `both${number}@example.org`);
    return Promise.all(answers.map(() => world.ask(at, token.access_token, 'member')));
  }
  const issuances = () => rows('issuances').countDocuments({ holderId: world.backEnd.asked[0]?.body.userId });
  const levels = ({ body }: Answer): unknown[] =>
    body.credentials.map(({ credential }: { credential: string }) =>
      credential
        .split('~')
        .slice(1, -1)
        .map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()))
        .find(([, name]) => name === 'level')
        ?.at(2),
    );

  it('about a subject: one issuance, and all copies say the same', async () => {
    const answers = await both([
      [200, { credentialSubject: SUBJECT }],
      [200, { credentialSubject: { ...SUBJECT, level: 1 } }],
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await issuances()).toBe(1);
    expect(new Set(answers.flatMap(levels)).size).toBe(1);
  });

  it.each<[string, [number, object?]]>([
    ['a refusal', [403]],
    ['a subject that does not fit', [200, { credentialSubject: { level: 'x' } }]],
    ['a wait', [202, { interval: 5 }]],
    ['a failure', [500]],
  ])('a subject and %s: at most one issuance, and each request has a clear end', async (_name, other) => {
    const answers = await both([[200, { credentialSubject: SUBJECT }], other]);
    const ends = answers.map((answer) => (answer.status < 300 ? String(answer.status) : errorOf(answer)));
    for (const end of ends)
      expect([
        '200',
        '202',
        '400 credential_request_denied',
        '401 invalid_token',
        '503 temporarily_unavailable',
      ]).toContain(end);
    expect(await issuances()).toBe(ends.includes('200') ? 1 : 0);
  });
});

describe('A subject', () => {
  it.each([
    ['with __proto__', '{"level":7,"since":"2024-01-01","__proto__":{"note":"x"}}'],
    ['with constructor', '{"level":7,"since":"2024-01-01","constructor":{"prototype":{}}}'],
    ['with _sd', '{"level":7,"since":"2024-01-01","_sd":["x"]}'],
    ['that is a list', '[]'],
    ['with a note of a megabyte', `{"level":7,"since":"2024-01-01","note":"${'a'.repeat(900_000)}"}`],
    ['of somebody else', '{"level":7,"since":"2024-01-01","id":"did:example:other"}'],
  ])('%s is issued as it is, or refused, and never fails the gateway', async (_name, subject) => {
    const server = await behind((_request, response) => response.end(`{"credentialSubject":${subject}}`));
    const { id, ask } = await walletAt({ managed: true, subjectUrl: server.url }, SCHEMA.$id);
    const answer = await ask();
    if (answer.status === 200) expect(await issuancesOf(id)).toBe(1);
    else {
      expect(['400 credential_request_denied', '503 temporarily_unavailable']).toContain(errorOf(answer));
      expect(await issuancesOf(id)).toBe(0);
    }
    expect(JSON.stringify(answer.body)).not.toContain('did:example:other');
  });
});

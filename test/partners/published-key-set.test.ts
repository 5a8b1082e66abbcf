// A partner's key-set host that is away: the last good set serves for a bounded time, nobody waits for it each time, and no client is told
// that its token is not valid.
import { afterEach, describe, expect, it } from 'vitest';
import { guardedFetch } from '../../src/http/outbound/guarded-fetch.js';
import { PartnerKeySets } from '../../src/partners/key-sets.js';
import { PartnerTokens } from '../../src/partners/token.service.js';
import { partnersWith } from './partners-with.js';
import { type CountedServer, countedServer, jws, keyPair, NOW_S, partnerRow } from './support.js';

const first = keyPair('p256', 'first');
const second = keyPair('p256', 'second');
const MINUTE = 60_000;
const UNAVAILABLE = { code: 'STORE_UNAVAILABLE', data: { retryAfter: 5 } };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()));
});

/** What the host does with a request for the key set. */
type Behaviour = 'answers' | 'hangs' | 'refuses' | 'fails' | 'limits';

interface Host {
  server: CountedServer;
  behaviour: Behaviour;
  keys: object[];
}

async function hostOf(behaviour: Behaviour): Promise<Host> {
  const host: Partial<Host> = { behaviour, keys: [first.jwk] };
  host.server = await countedServer((request, response) => {
    if (host.behaviour === 'refuses') request.socket.destroy();
    else if (host.behaviour === 'fails') response.writeHead(503).end();
    else if (host.behaviour === 'limits') response.writeHead(429).end();
    else if (host.behaviour === 'answers')
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: host.keys }));
  });
  open.push(host.server);
  return host as Host;
}

/** A partner whose keys are at the host, a monotonic clock that the test moves, and what the log was told. */
async function worldOf(behaviour: Behaviour) {
  const host = await hostOf(behaviour);
  const row = partnerRow({ jwksUri: `${host.server.url}/jwks.json` });
  const { directory, close } = await partnersWith([row]);
  open.push({ close });
  const ages = { now: 0 };
  const told: string[] = [];
  const problems = { raise: () => void told.push('stale'), clear: () => void told.push('good') };
  const keySets = new PartnerKeySets({ fetch: guardedFetch({ allowLoopback: true }), problems, clock: () => ages.now });
  const tokens = new PartnerTokens(directory, keySets, () => NOW_S * 1_000);
  let at = 0;
  /** A token that was never seen before. */
  const verify = (key = first) => {
    const claims = { partnerId: row._id, scope: 'issue', exp: NOW_S + 300, at: at++ };
    return tokens.verify(jws({ alg: 'ES256', typ: 'JWT', kid: key.kid }, claims, key.privateKey, 'ES256'));
  };
  return { host, ages, told, verify };
}

describe('a key-set host that was there and is away', () => {
  it.each(['refuses', 'fails'] as const)(
    'a key-set host that became unavailable (it %s): its last valid set is used for an hour, then tokens are 503',
    async (how) => {
      const { host, ages, told, verify } = await worldOf('answers');
      await verify();
      host.behaviour = how;
      ages.now = 10 * MINUTE;
      await verify();
      expect(told.at(-1)).toBe('stale');
      ages.now = 60 * MINUTE - 1;
      await verify();
      ages.now = 60 * MINUTE;
      await expect(verify()).rejects.toMatchObject(UNAVAILABLE);
      host.behaviour = 'answers';
      ages.now = 62 * MINUTE;
      await verify();
      expect(told.at(-1)).toBe('good');
    },
  );

  it('a key-set host that hangs gets one request at a time, and after the first failure no client waits for it', async () => {
    const { host, ages, verify } = await worldOf('answers');
    await verify();
    host.behaviour = 'fails';
    ages.now = 2 * MINUTE;
    await Promise.all([verify(), verify(), verify()]);
    expect(host.server.requests()).toBe(2);
    host.behaviour = 'hangs';
    // Every pause is over by now; what hangs is asked once, however many come, and none of them waits for its end.
    ages.now = 5 * MINUTE;
    for (let turn = 0; turn < 20; turn += 1) await verify();
    expect(host.server.requests()).toBeLessThanOrEqual(3);
  });

  it('a key-set host that became unavailable is called less and less often', async () => {
    const { host, ages, verify } = await worldOf('answers');
    await verify();
    host.behaviour = 'fails';
    // Refreshed beside the requests: each is given the time to end.
    for (ages.now = MINUTE; ages.now < 11 * MINUTE; ages.now += 1_000)
      await verify().then(() => new Promise(setImmediate));
    expect(host.server.requests()).toBeLessThan(20);
  });

  it('a key-set host that became unavailable cannot be asked about an unknown key: 503, and the key is accepted afterwards', async () => {
    const { host, ages, verify } = await worldOf('answers');
    await verify();
    host.behaviour = 'fails';
    ages.now = 2 * MINUTE;
    await expect(verify(second)).rejects.toMatchObject(UNAVAILABLE);
    host.behaviour = 'answers';
    host.keys = [second.jwk];
    ages.now = 4 * MINUTE;
    await verify(second);
  });
});

describe('a key set that was never there', () => {
  it.each(['refuses', 'fails', 'limits'] as const)(
    'a key set that was never fetched (the host %s) is 503, not 403',
    async (how) => {
      const { verify } = await worldOf(how);
      await expect(verify()).rejects.toMatchObject(UNAVAILABLE);
      await expect(verify()).rejects.toMatchObject(UNAVAILABLE);
    },
  );
});

describe('a key that was taken out of its set', () => {
  it('a key that was removed while its host responded slowly is used no longer than one from a fast host', async () => {
    const { host, ages, verify } = await worldOf('answers');
    Object.defineProperty(host, 'keys', {
      get: () => {
        ages.now += MINUTE / 2;
        return ages.now < MINUTE ? [first.jwk] : [second.jwk];
      },
    });
    await verify();
    ages.now = MINUTE;
    await expect(verify()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('a key that was removed from its set is refused after a minute if the host responds', async () => {
    const { host, ages, verify } = await worldOf('answers');
    await verify();
    host.keys = [second.jwk];
    ages.now = MINUTE;
    await expect(verify()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

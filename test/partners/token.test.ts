// Promises about good partner tokens: they are taken, quickly, and only for as long as the partner's record and keys stand behind them.

import { existsSync, readFileSync } from 'node:fs';
import { compactVerify } from 'jose';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PartnerDirectory } from '../../src/partners/directory.service.js';
import { PartnerKeySets } from '../../src/partners/key-sets.js';
import { ALGORITHMS, PartnerTokens } from '../../src/partners/token.service.js';
import { OPERATOR } from '../support/callers.js';
import { eventually } from '../support/eventually.js';
import { printTotal } from '../support/total.js';
import { partnersWith } from './partners-with.js';
import { type CountedServer, countedServer, jws, keyPair, NOW_S, partnerRow } from './support.js';

type Partners = Awaited<ReturnType<typeof partnersWith>>;
const rsa = keyPair('rsa', 'rsa-1');
const ec = keyPair('p256', 'ec-1');
const next = keyPair('p256', 'ec-2');
const mine = partnerRow({ jwks: [rsa.jwk, ec.jwk] as never });
const claims = { partnerId: mine._id, scope: 'issue', exp: NOW_S + 300 };
const token = (body: object = claims, key = ec, header: object = { typ: 'JWT' }): string => {
  const alg = key === rsa ? 'RS256' : 'ES256';
  return jws({ alg, kid: key.kid, ...header }, body, key.privateKey, alg);
};
const body = (fields: object) => ({ name: 'Partner', scopes: ['issue', 'verify'], ...fields });

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()));
});
async function partnersOf(...rows: Parameters<typeof partnersWith>[0]): Promise<Partners> {
  const partners = await partnersWith(rows);
  open.push(partners);
  return partners;
}
async function serverOf(listener: Parameters<typeof countedServer>[0]): Promise<CountedServer> {
  const server = await countedServer(listener);
  open.push(server);
  return server;
}

describe('a good token', () => {
  it('a good token of RS256 or ES256 authenticates its partner', async () => {
    const { tokens } = await partnersOf(mine);
    for (const key of [rsa, ec]) {
      expect(await tokens.verify(token({ ...claims, email: 'a@b.example' }, key))).toMatchObject({
        kind: 'partner',
        partnerId: mine._id,
        scopes: ['issue'],
        kid: key.kid,
        expiresAt: claims.exp * 1_000,
        claims: { email: 'a@b.example' },
      });
    }
  });

  it.each([
    ['issue', ['issue']],
    ['issue on-behalf', ['issue']],
    ['verify issue', ['issue', 'verify']],
    ['openid verify', ['verify']],
  ])('a token with the scope "%s" may %j', async (scope, scopes) => {
    const { tokens } = await partnersOf(mine);
    expect((await tokens.verify(token({ ...claims, scope }))).scopes).toEqual(scopes);
  });

  it.each([
    ['expired 29 s ago', { exp: NOW_S - 29 }],
    ['expires in 15 minutes and 30 s', { exp: NOW_S + 930 }],
    ['begins in 30 s', { nbf: NOW_S + 30 }],
    ['was made by a clock 30 s ahead', { iat: NOW_S + 30 }],
  ])('a token is accepted within the tolerance of clocks: %s', async (_, times) => {
    const { tokens } = await partnersOf(mine);
    await expect(tokens.verify(token({ ...claims, ...times }))).resolves.toBeDefined();
  });

  it("a token without typ is accepted if the partner's record allows it, and one with another typ is not", async () => {
    const { tokens } = await partnersOf({ ...mine, requireTyp: false });
    await expect(tokens.verify(token(claims, ec, {}))).resolves.toBeDefined();
    await expect(tokens.verify(token(claims, ec, { typ: 'at+jwt' }))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it("a token without scope is accepted if the partner's record allows it, with the scopes of the record", async () => {
    const { scope: _, ...unscoped } = claims;
    const { tokens } = await partnersOf({ ...mine, requireScope: false });
    expect((await tokens.verify(token(unscoped))).scopes).toEqual(['issue', 'verify']);
    expect((await tokens.verify(token(claims))).scopes).toEqual(['issue']);
    for (const scope of ['other', null, ['issue']])
      await expect(tokens.verify(token({ ...claims, scope }))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('a token is refused once it has expired, however often it was accepted before', async () => {
    const { tokens, clock } = await partnersOf(mine);
    const text = token();
    await tokens.verify(text);
    clock.now += 329_000;
    await expect(tokens.verify(text)).resolves.toBeDefined();
    clock.now += 1_001;
    await expect(tokens.verify(text)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('what an operator changes counts at once', () => {
  it('a token is refused at once when the operator removes its key', async () => {
    const { tokens, admin } = await partnersOf(mine);
    const text = token();
    await tokens.verify(text);
    await admin.put(OPERATOR, mine._id, body({ jwks: { keys: [rsa.jwk] } }));
    await expect(tokens.verify(text)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(tokens.verify(token(claims, rsa))).resolves.toBeDefined();
  });

  it('a token is refused at once when the operator replaces its key by another with the same kid', async () => {
    const { tokens, admin } = await partnersOf(mine);
    const text = token();
    await tokens.verify(text);
    await admin.put(OPERATOR, mine._id, body({ jwks: { keys: [{ ...next.jwk, kid: ec.kid }] } }));
    await expect(tokens.verify(text)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('a token is refused at once when the operator removes its scope, or retires its partner', async () => {
    const { tokens, admin } = await partnersOf(mine);
    const text = token();
    await tokens.verify(text);
    await admin.put(OPERATOR, mine._id, body({ scopes: ['verify'], jwks: { keys: [ec.jwk] } }));
    await expect(tokens.verify(text)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const verifying = token({ ...claims, scope: 'verify' });
    await tokens.verify(verifying);
    await admin.retire(OPERATOR, mine._id);
    await expect(tokens.verify(verifying)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('changes by an operator take effect in other processes after a second', async () => {
    const { tokens, clock, another } = await partnersOf(mine);
    const text = token();
    await tokens.verify(text);
    await (await another()).admin.retire(OPERATOR, mine._id);
    clock.now += 1_000;
    await expect(tokens.verify(text)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('a retired partner', () => {
  it('a retired partner is refused by other processes although their wall clock was set back by an hour', async () => {
    const { models, admin } = await partnersOf(mine);
    const directory = new PartnerDirectory(models);
    expect(await directory.find(mine._id)).toBeDefined();
    await admin.retire(OPERATOR, mine._id);
    const back = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    onTestFinished(() => back.mockRestore());
    await eventually(async () => expect(await directory.find(mine._id)).toBeUndefined());
  });
});

describe('a published key set', () => {
  const published = (url: string) => partnerRow({ _id: mine._id, jwksUri: `${url}/jwks.json` });

  it('a published key set is fetched once for many tokens', async () => {
    const server = await serverOf((_, response) =>
      response.setHeader('content-type', 'application/jwk-set+json').end(JSON.stringify({ keys: [ec.jwk, rsa.jwk] })),
    );
    const { tokens } = await partnersOf(published(server.url));
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => tokens.verify(token({ ...claims, at }, at % 2 ? ec : rsa))),
    );
    expect(server.requests()).toBe(1);
  });

  it('a published key set is not fetched for tokens that any keys would refuse, and once for very many unknown kids', async () => {
    const server = await serverOf((_, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [ec.jwk] })),
    );
    const { tokens } = await partnersOf(published(server.url));
    await tokens.verify(token(claims, ec, { jku: server.url })).catch(() => undefined);
    await tokens.verify(token(claims, ec, { crit: ['x'] })).catch(() => undefined);
    expect(server.requests()).toBe(0);
    const flood = Array.from({ length: 50 }, (_, at) => token(claims, { ...next, kid: `kid-${at}` }));
    const answers = await Promise.allSettled(flood.map((text) => tokens.verify(text)));
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
    expect(server.requests()).toBe(1);
  });

  it('a published key set whose address does not respond is not requested constantly', async () => {
    const server = await serverOf((request) => request.socket.destroy());
    const { tokens, clock } = await partnersOf(published(server.url));
    for (let at = 0; at < 10; at += 1) await tokens.verify(token({ ...claims, at })).catch(() => undefined);
    expect(server.requests()).toBe(1);
    clock.now += 2_000;
    await tokens.verify(token()).catch(() => undefined);
    expect(server.requests()).toBe(2);
  });
});

describe('what is remembered', () => {
  it('cached verdicts stay bounded for very many good tokens, and bad tokens are not cached', async () => {
    const { directory, keySets, clock } = await partnersOf(mine);
    const tokens = new PartnerTokens(directory, keySets, () => clock.now, 10);
    const bad = { ...claims, scope: 'nothing' };
    await Promise.allSettled(Array.from({ length: 5 }, (_, at) => tokens.verify(token({ ...bad, at }))));
    expect(tokens.remembered).toBe(0);
    await Promise.all(Array.from({ length: 30 }, (_, at) => tokens.verify(token({ ...claims, at }))));
    expect(tokens.remembered).toBe(10);
  });
});

const WYCHEPROOF = '../shared/data/wycheproof/json_web_signature_test.json';

describe('Wycheproof JWS vectors', () => {
  interface Group {
    public?: object;
    private?: object;
    tests: { tcId: number; comment: string; jws: string; result: string }[];
  }

  /** The algorithm that a token names; undefined where its header cannot be read. */
  function algorithmOf(text: string): string | undefined {
    try {
      return JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString()).alg;
    } catch {
      return undefined;
    }
  }

  it.skipIf(!existsSync(WYCHEPROOF))(
    'are judged right by a partner’s key set (needs ../shared/data)',
    async ({ task }) => {
      const { testGroups } = JSON.parse(readFileSync(WYCHEPROOF, 'utf8')) as { testGroups: Group[] };
      const keySets = new PartnerKeySets({ fetch: () => Promise.reject(new Error('no fetch')) });
      const wrong: string[] = [];
      const verdicts: boolean[] = [];
      for (const group of testGroups) {
        const { getKey } = keySets.of(partnerRow({ jwks: [group.public ?? group.private] as never }));
        for (const { tcId, comment, jws: text, result } of group.tests) {
          // Valid signatures of algorithms that partner tokens may not use are refused as well.
          const expected = result === 'valid' && ALGORITHMS.includes(algorithmOf(text) ?? '');
          const isTaken = await compactVerify(text, getKey, { algorithms: ALGORITHMS }).then(
            () => true,
            () => false,
          );
          if (isTaken !== expected) wrong.push(`${tcId} ${comment}`);
          verdicts.push(isTaken);
        }
      }
      const [all, taken] = [verdicts.length, verdicts.filter(Boolean).length];
      printTotal(task, `Wycheproof JWS: ${all - wrong.length} of ${all} vectors judged right, ${taken} of them taken`);
      expect(wrong).toEqual([]);
      expect(taken).toBeGreaterThan(5);
      expect(all - taken).toBeGreaterThan(300);
    },
  );
});

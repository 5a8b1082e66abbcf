// Promises about bad partner tokens: all are refused, nothing they name is fetched, and only the owner of a right signature is told what
// the gateway knows.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { CompactEncrypt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DomainError } from '../../src/base/errors.js';
import { BAD_PARTNER_TOKEN } from '../../src/partners/token.service.js';
import { printTotal } from '../support/total.js';
import { partnersWith } from './partners-with.js';
import { type CountedServer, countedServer, hmacJws, jws, keyPair, NOW_S, partnerRow } from './support.js';

const rsa = keyPair('rsa', 'rsa-1');
const ec = keyPair('p256', 'ec-1');
const ed = generateKeyPairSync('ed25519');
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const strangerRsa = keyPair('rsa', 'rsa-1');
const strangerEc = keyPair('p256', 'ec-1');
const others = keyPair('p256', 'other-1');
const gone = keyPair('p256', 'gone-1');

const mine = partnerRow({ jwks: [rsa.jwk, ec.jwk] as never });
const other = partnerRow({ jwks: [others.jwk] as never });
const retired = partnerRow({ jwks: [gone.jwk] as never, live: false });
const issueOnly = partnerRow({ jwks: [ec.jwk] as never, scopes: ['issue'] });

const head = { alg: 'ES256', typ: 'JWT', kid: 'ec-1' };
const rsHead = { alg: 'RS256', typ: 'JWT', kid: 'rsa-1' };
const claims = { partnerId: mine._id, scope: 'issue', exp: NOW_S + 300 };
const es = (header: unknown, body: unknown): string => jws(header, body, ec.privateKey, 'ES256');
const without = <T extends object>(value: T, ...keys: (keyof T)[]): Partial<T> => {
  const copy = { ...value };
  for (const key of keys) delete copy[key];
  return copy;
};
const good = es(head, claims);
const [goodHead = '', goodClaims = '', goodSignature = ''] = good.split('.');
const b64 = (text: string): string => Buffer.from(text).toString('base64url');
const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const der = rsa.publicKey.export({ type: 'spki', format: 'der' });

const asDer = (token: string): string => {
  const raw = Buffer.from(token.split('.')[2] ?? '', 'base64url');
  const part = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([2, 33, 0]), bytes]);
  const body = Buffer.concat([part(raw.subarray(0, 32)), part(raw.subarray(32))]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]).toString('base64url');
};

/** The unused bits at the end of a base64url part, set: the same bytes in another spelling. */
const respelled = (part: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return part.slice(0, -1) + alphabet[alphabet.indexOf(part.at(-1) ?? '') + 1];
};

/** Signed with the partner's own key: each is told what else is wrong with it. */
const FAULTS: [name: string, token: string, says: string][] = [
  ['typ missing', es(without(head, 'typ'), claims), 'typ must be "JWT"'],
  ['typ of another kind of token', es({ ...head, typ: 'at+jwt' }, claims), 'typ must be "JWT"'],
  ['typ not a string', es({ ...head, typ: ['JWT'] }, claims), 'typ must be "JWT"'],
  ['exp absent', es(head, without(claims, 'exp')), 'exp must be a number'],
  ['exp past', es(head, { ...claims, exp: NOW_S - 31 }), 'has expired'],
  ['exp a string', es(head, { ...claims, exp: String(NOW_S + 300) }), 'exp must be a number'],
  ['exp null', es(head, { ...claims, exp: null }), 'exp must be a number'],
  ['exp far ahead', es(head, { ...claims, exp: NOW_S + 15 * 60 + 31 }), '15 minutes'],
  ['exp in milliseconds', es(head, { ...claims, exp: (NOW_S + 300) * 1_000 }), '15 minutes'],
  ['exp without end', es(head, JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e999')), 'exp must be a number'],
  ['nbf ahead', es(head, { ...claims, nbf: NOW_S + 31 }), 'nbf lies ahead'],
  ['nbf a string', es(head, { ...claims, nbf: 'now' }), 'nbf must be a number'],
  ['iat ahead', es(head, { ...claims, iat: NOW_S + 31 }), "iat lies ahead of the gateway's clock"],
  ['scope absent', es(head, without(claims, 'scope')), 'scope must be a string'],
  ['scope "issue2"', es(head, { ...claims, scope: 'issue2' }), "partner's scopes: issue, verify"],
  ['scope empty', es(head, { ...claims, scope: '' }), "partner's scopes: issue, verify"],
  ['scope a list', es(head, { ...claims, scope: ['issue'] }), 'scope must be a string'],
  ['scope in capitals', es(head, { ...claims, scope: 'ISSUE' }), "partner's scopes: issue, verify"],
  ['scope with commas', es(head, { ...claims, scope: 'issue,verify' }), "partner's scopes: issue, verify"],
  [
    'a scope the record does not allow',
    es(head, { ...claims, partnerId: issueOnly._id, scope: 'verify' }),
    "partner's scopes: issue",
  ],
];

/** They name no key, or no partner, with which a signature could be verified: whoever signed them is told that. */
const NAMELESS: [name: string, token: string, says: string][] = [
  ...[undefined, '', 'k'.repeat(257), { $ne: null }, 1, ['ec-1']].map((kid): [string, string, string] => [
    `kid ${JSON.stringify(kid)?.slice(0, 10)}`,
    es({ ...head, kid }, claims),
    'kid must name a key',
  ]),
  ...[undefined, [mine._id], { $gt: '' }, 'acme'].map((partnerId): [string, string, string] => [
    `partnerId ${JSON.stringify(partnerId)?.slice(0, 10)}`,
    es(head, { ...claims, partnerId }),
    'partnerId must be a UUID',
  ]),
];

let trap: CountedServer;
let partners: Awaited<ReturnType<typeof partnersWith>>;
let attacks: [string, string][];

beforeAll(async () => {
  partners = await partnersWith([mine, other, retired, issueOnly]);
  trap = await countedServer((_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [strangerEc.jwk] })),
  );
  const jwe = await new CompactEncrypt(Buffer.from(good))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: 'rsa-1', typ: 'JWT', cty: 'JWT' })
    .encrypt(rsa.publicKey);
  const stranger = (header: object): string => jws({ ...head, ...header }, claims, strangerEc.privateKey, 'ES256');
  attacks = [
    ['alg none', `${b64(JSON.stringify({ ...head, alg: 'none' }))}.${goodClaims}.`],
    ['alg none with a signature', `${b64(JSON.stringify({ ...head, alg: 'none' }))}.${goodClaims}.${goodSignature}`],
    ['alg None', `${b64(JSON.stringify({ ...head, alg: 'None' }))}.${goodClaims}.`],
    ['alg NONE', es({ ...head, alg: 'NONE' }, claims)],
    ['alg nOnE', es({ ...head, alg: 'nOnE' }, claims)],
    ['alg missing', es(without(head, 'alg'), claims)],
    ['alg empty', es({ ...head, alg: '' }, claims)],
    ['alg null', es({ ...head, alg: null }, claims)],
    ['alg a list', es({ ...head, alg: ['ES256'] }, claims)],
    ['alg in lower case', es({ ...head, alg: 'es256' }, claims)],
    ['HS256 with the public key (PEM) as secret', hmacJws({ ...rsHead, alg: 'HS256' }, claims, pem)],
    ['HS256 with the public key (PEM, trimmed)', hmacJws({ ...rsHead, alg: 'HS256' }, claims, pem.trim())],
    ['HS256 with the public key (DER) as secret', hmacJws({ ...rsHead, alg: 'HS256' }, claims, der)],
    ['HS256 with an empty secret', hmacJws({ ...head, alg: 'HS256' }, claims, '')],
    ['an HMAC that calls itself RS256', hmacJws(rsHead, claims, pem)],
    ['RS384', jws({ ...rsHead, alg: 'RS384' }, claims, rsa.privateKey, 'RS384')],
    ['RS512', jws({ ...rsHead, alg: 'RS512' }, claims, rsa.privateKey, 'RS512')],
    ['PS256', jws({ ...rsHead, alg: 'PS256' }, claims, rsa.privateKey, 'PS256')],
    ['PS256 that calls itself RS256', jws(rsHead, claims, rsa.privateKey, 'PS256')],
    ['ES384', jws({ ...head, alg: 'ES384' }, claims, p384.privateKey, 'ES384')],
    ['EdDSA', jws({ ...head, alg: 'EdDSA' }, claims, ed.privateKey, 'EdDSA')],
    ['ES256 naming an RSA key', es({ ...head, kid: 'rsa-1' }, claims)],
    ['RS256 naming a P-256 key', jws({ ...rsHead, kid: 'ec-1' }, claims, rsa.privateKey, 'RS256')],
    ['a stranger’s RSA key under our kid', jws(rsHead, claims, strangerRsa.privateKey, 'RS256')],
    ['a stranger’s P-256 key under our kid', stranger({})],
    ['an ECDSA signature in DER form', `${goodHead}.${goodClaims}.${asDer(good)}`],
    ['an ECDSA signature of zeros', `${goodHead}.${goodClaims}.${Buffer.alloc(64).toString('base64url')}`],
    ['a signature cut short', `${goodHead}.${goodClaims}.${goodSignature.slice(0, 80)}`],
    ['no signature', `${goodHead}.${goodClaims}.`],
    ['two parts', `${goodHead}.${goodClaims}`],
    [
      'claims changed after signing',
      `${goodHead}.${b64(JSON.stringify({ ...claims, scope: 'verify' }))}.${goodSignature}`,
    ],
    ['kid unknown', es({ ...head, kid: 'nobody' }, claims)],
    ['kid of another partner', jws({ ...head, kid: 'other-1' }, claims, others.privateKey, 'ES256')],
    ['kid of 10 KB', es({ ...head, kid: 'k'.repeat(10_240) }, claims)],
    ['kid a path', es({ ...head, kid: '../../../../dev/null' }, claims)],
    ['kid a query', es({ ...head, kid: "' OR 1=1 --" }, claims)],
    ['jku to a stranger’s keys', stranger({ jku: `${trap.url}/jwks` })],
    ['jku beside our own key', es({ ...head, jku: `${trap.url}/jwks` }, claims)],
    ['x5u to a stranger’s certificate', stranger({ x5u: `${trap.url}/cert` })],
    ['x5u beside our own key', es({ ...head, x5u: `${trap.url}/cert` }, claims)],
    ['jwk, a stranger’s key inside', stranger({ jwk: strangerEc.jwk })],
    ['x5c, a stranger’s certificate inside', stranger({ x5c: [der.toString('base64')] })],
    ['crit', es({ ...head, crit: ['exp'], exp: NOW_S + 300 }, claims)],
    ['crit, empty', es({ ...head, crit: [] }, claims)],
    ['b64 false with crit', es({ ...head, b64: false, crit: ['b64'] }, claims)],
    ['b64 false', es({ ...head, b64: false }, claims)],
    ['a JWE in its place', jwe],
    ['partnerId another’s', es(head, { ...claims, partnerId: other._id })],
    ['partnerId unknown', es(head, { ...claims, partnerId: randomUUID() })],
    [
      'partnerId of a retired partner',
      jws({ ...head, kid: 'gone-1' }, { ...claims, partnerId: retired._id }, gone.privateKey, 'ES256'),
    ],
    ['a claim twice', es(head, `{"scope":"issue",${JSON.stringify(claims).slice(1)}`)],
    ['a claim twice, once escaped', es(head, `{"sc\\u006fpe":"issue",${JSON.stringify(claims).slice(1)}`)],
    ['a key twice deep inside', es(head, `{"x":[{"a":1,"a":2}],${JSON.stringify(claims).slice(1)}`)],
    ['a header twice', es(`{"alg":"none",${JSON.stringify(head).slice(1)}`, claims)],
    ['claims that are a list', es(head, [claims])],
    ['claims that are not JSON', es(head, '{')],
    ['claims with a byte order mark', es(head, `\u{feff}${JSON.stringify(claims)}`)],
    ['header not UTF-8', `${Buffer.from([0xff, 0xfe]).toString('base64url')}.${goodClaims}.${goodSignature}`],
    ['padding', `${goodHead}.${goodClaims}.${goodSignature}==`],
    ['padding in the middle', `${goodHead}=.${goodClaims}.${goodSignature}`],
    ['another spelling of the signature', `${goodHead}.${goodClaims}.${respelled(goodSignature)}`],
    ['plain base64', good.replaceAll('-', '+').replaceAll('_', '/').concat('+')],
    ['white space before it', ` ${good}`],
    ['a line break after it', `${good}\n`],
    ['two headers, joined by the HTTP parser', `${good}, ${good}`],
    ['Bearer before it', `Bearer ${good}`],
    ['four parts', `${good}.${goodSignature}`],
    ['a token of 1 MB', `${goodHead}.${b64(JSON.stringify({ ...claims, x: 'x'.repeat(1_000_000) }))}.${goodSignature}`],
    ['nothing but dots', '..'],
    ['nothing', ''],
  ];
});

afterAll(async () => {
  await trap.close();
  await partners.close();
});

describe('bad partner tokens', () => {
  it('bad partner tokens of at least forty kinds are tried, each once', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(40);
    expect(new Set(attacks.map(([name]) => name)).size).toBe(attacks.length);
  });

  it('bad partner tokens are all refused with the same sentence, and nothing that they refer to is called', async ({
    task,
  }) => {
    const { tokens } = partners;
    const accepted: string[] = [];
    const shapes = new Set<string>();
    for (const [name, token] of attacks) {
      await tokens.verify(token).then(
        () => accepted.push(name),
        (error: DomainError) =>
          shapes.add(JSON.stringify([error.constructor.name, error.code, error.message, error.data])),
      );
    }
    expect(accepted).toEqual([]);
    const data = { challenge: { realm: 'partner', error: 'invalid_token' } };
    expect([...shapes]).toEqual([JSON.stringify([DomainError.name, 'FORBIDDEN', BAD_PARTNER_TOKEN, data])]);
    expect(trap.requests()).toBe(0);
    printTotal(task, `attacks on partner tokens: ${attacks.length} of ${attacks.length} refused`);
  });

  it('bad partner tokens are refused again after a good token of the same partner', async () => {
    const { tokens } = partners;
    expect(await tokens.verify(good)).toMatchObject({ partnerId: mine._id });
    const accepted: string[] = [];
    for (const [name, token] of attacks)
      await tokens.verify(token).then(
        () => accepted.push(name),
        () => undefined,
      );
    expect(accepted).toEqual([]);
  });

  it.each(NAMELESS)('bad partner tokens that name no key or no partner are told so: %s', async (_, token, says) => {
    await expect(partners.tokens.verify(token)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining(says),
    });
  });

  it.each(FAULTS)('bad partner tokens with a valid signature are told their fault: %s', async (_, token, says) => {
    await expect(partners.tokens.verify(token)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining(says),
    });
  });

  it.each(FAULTS)('bad partner tokens with an invalid signature are not told their fault: %s', async (_, token) => {
    const [header, body, signature = ''] = token.split('.');
    const forged = `${header}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    await expect(partners.tokens.verify(forged)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: BAD_PARTNER_TOKEN,
    });
  });
});

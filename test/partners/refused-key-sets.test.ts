// Promises about key sets that are refused: they let nobody in, and the operator reads why.
import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { BAD_PARTNER_TOKEN } from '../../src/partners/token.service.js';
import { OPERATOR } from '../support/callers.js';
import { partnersWith } from './partners-with.js';
import { countedServer, jws, keyPair, NOW_S, partnerRow } from './support.js';

type Answer = [status: number, headers: OutgoingHttpHeaders, body: string];

const ec = keyPair('p256', 'ec-1');
const next = keyPair('p256', 'ec-2');
const privateKey = { ...ec.privateKey.export({ format: 'jwk' }), kid: ec.kid };
const partnerId = randomUUID();
const token = ({ kid, privateKey } = ec): string =>
  jws({ alg: 'ES256', typ: 'JWT', kid }, { partnerId, scope: 'issue', exp: NOW_S + 300 }, privateKey, 'ES256');

const answered = (status: number): Answer => [status, { location: '/elsewhere' }, '{"keys":[]}'];
const json = (body: unknown, type = 'application/json'): Answer => [
  200,
  { 'content-type': type },
  typeof body === 'string' ? body : JSON.stringify(body),
];

const COMPRESSED = 'The response is compressed in a way that cannot be read.';
const NO_SET = 'must be an object with the list of JWKs "keys".';
const NO_KEY = 'has no RSA or P-256 key with a kid: no token is accepted.';
const PRIVATE = 'publishes the private member "d" of the key "ec-1"; publish public keys only, and replace that key.';
const PRIVATE_NAMELESS = 'publishes the private member "d"; publish public keys only, and replace that key.';
const TWICE = 'has two EC keys of the kid "ec-1": tokens that name it are refused.';

it.each<[name: string, answer: Answer, says: string]>([
  ['a redirect', answered(302), 'is answered with 302; it must be 200.'],
  ['that it is not there', answered(404), 'is answered with 404; it must be 200.'],
  ['compressed by nobody', [200, { 'content-encoding': 'gzip' }, 'keys'], `is not fetched. ${COMPRESSED}`],
  ['a page', json('<html>', 'text/html'), 'comes with content type "text/html"; it must be application/json.'],
  ['nothing', json(''), 'is not valid JSON.'],
  ['no JSON', json('keys'), 'is not valid JSON.'],
  ['a bare list', json([ec.jwk]), NO_SET],
  ['no key set', json({ keys: {} }), NO_SET],
  ['no key', json({ keys: [] }), NO_KEY],
  ['a key without kid', json({ keys: [{ ...ec.jwk, kid: undefined }] }), NO_KEY],
  ['more than 64 KiB', json({ keys: [ec.jwk], pad: 'x'.repeat(70_000) }), 'is larger than 65536 bytes.'],
  ['a private key', json({ keys: [privateKey] }), PRIVATE],
  ['a private key beside what is no key', json({ keys: [5, privateKey] }), PRIVATE],
  ['a private key in a bare list', json([privateKey]), PRIVATE],
  [
    'a private key of a kid that is no text',
    json({ keys: [{ ...privateKey, kid: { toString: 1 } }] }),
    PRIVATE_NAMELESS,
  ],
  ['a key twice', json({ keys: [ec.jwk, ec.jwk] }), TWICE],
])(
  'a key set address that responds %s authenticates nobody, and the operator can read why until it is corrected',
  async (_, first, says) => {
    let answer = first;
    const server = await countedServer((_request, response) => {
      const [status, headers, body] = answer;
      response.writeHead(status, headers).end(body);
    });
    onTestFinished(server.close);
    const partners = await partnersWith([partnerRow({ _id: partnerId, jwksUri: `${server.url}/jwks.json` })]);
    onTestFinished(partners.close);
    const { tokens, admin, clock } = partners;
    const problem = async (): Promise<string | null> => (await admin.get(OPERATOR, partnerId)).keySetProblem;

    await expect(tokens.verify(token())).rejects.toMatchObject({ code: 'FORBIDDEN', message: BAD_PARTNER_TOKEN });
    expect(server.requests()).toBe(1);
    expect(await problem()).toBe(`The key set at jwksUri ${says}`);
    const { checks } = await tokens.explain(token());
    expect(checks.find(({ rule }) => rule === 'token.signature')?.sentence).toContain(says);

    answer = json({ keys: [next.jwk] });
    clock.now += 2_000;
    await tokens.verify(token(next));
    expect(await problem()).toBeNull();
  },
);

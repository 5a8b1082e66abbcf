// Public data is fetched with ordinary clients: with cache busters in the address, and with the registered media type of the expected format.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describedRoutes } from '../../src/compose/openapi.js';
import { CachedAnswers } from '../http/cache/cached-answers.js';
import { SCHEMA } from '../support/membership.js';
import { startWorld, type World } from './rights-world.js';

const SCHEMA_PATH = `/v1/schemas/${encodeURIComponent(SCHEMA.$id)}/versions/1`;

let world: World;
let paths: Record<string, string>;
beforeAll(async () => {
  // An https address, so that the issuer has a document of its own.
  world = await startWorld({ monitorCommands: true, env: { PUBLIC_URL: 'https://gateway.example' } });
  paths = {
    '/v1/catalog/credentials/:id': '/v1/catalog/credentials/member',
    '/v1/catalog/credentials/:id/series': '/v1/catalog/credentials/member/series?from=2026-01-01&to=2026-01-02',
    '/v1/catalog/issuers/:id': '/v1/catalog/issuers/club',
    '/v1/catalog/issuers/:id/series': '/v1/catalog/issuers/club/series?from=2026-01-01&to=2026-01-02',
    '/v1/catalog/programs/:id': '/v1/catalog/programs/levels',
    '/v1/catalog/programs/:id/series': '/v1/catalog/programs/levels/series?from=2026-01-01&to=2026-01-02',
    '/v1/catalog/schemas/:id': `/v1/catalog/schemas/${encodeURIComponent(SCHEMA.$id)}`,
    '/v1/catalog/verifiers/:id': '/v1/catalog/verifiers/agency',
    '/v1/catalog/search': '/v1/catalog/search?q=member',
    '/v1/dids/:did': `/v1/dids/${world.holderDid}`,
    '/v1/issuers/:id/zk-keys': '/v1/issuers/club/zk-keys',
    '/v1/issuers/:id/did.json': '/v1/issuers/club/did.json',
    '/v1/schemas/:schemaId/versions/:version': SCHEMA_PATH,
    '/v1/schemas/:schemaId/versions/:version/encoding': `${SCHEMA_PATH}/encoding`,
    '/v1/programs/:id/proof-request': '/v1/programs/levels/proof-request',
    '/v1/client/config': `/v1/client/config?partnerId=${world.partnerId}`,
    '/v1/credentials/status': `/v1/credentials/status?coreClaimHash=${world.hashes[0]}`,
    '/v1/credentials/revocation-status/:nonce': '/v1/credentials/revocation-status/1',
    '/v1/credentials/status-lists/:id': `/v1/credentials/status-lists/${world.statusListId}`,
    '/v1/credentials/token-status-lists/:id': '/v1/credentials/token-status-lists/club.w1',
    '/v1/core-ids/:id': '/v1/core-ids/1',
    '/v1/core-ids/:id/image.svg': '/v1/core-ids/1/image.svg',
  };
});
afterAll(() => world.gateway.close());

const FOREIGN = [
  '_=1732560000',
  'utm_source=mail&utm_medium=a%20b',
  'v',
  '%5B%5D=1&%5B%5D=2',
  '__proto__=x&constructor=y',
];
const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;
/** Members of a response: their values may contain the time, or a signature. */
const members = (body: unknown): string[] => (typeof body === 'object' ? Object.keys(Object(body)) : []);

const publicGets = describedRoutes().filter(({ auth, method }) => auth === 'public' && method === 'GET');

describe('A public GET', () => {
  it.each(publicGets.map(({ path }) => path))(
    'a public GET of %s ignores parameters that it does not have',
    async (path) => {
      const { rest } = world.gateway;
      const known = paths[path] ?? path;
      const plain = await rest('GET', known);
      // This gateway has no data for these two paths, so they are 404 in any case.
      expect(plain.status).toBe(/revocation-status|core-ids/.test(path) ? 404 : 200);
      for (const query of FOREIGN) {
        const asked = await rest('GET', withQuery(known, query));
        expect(asked.status, query).toBe(plain.status);
        expect(members(asked.body), query).toEqual(members(plain.body));
      }
    },
  );

  it('a public GET still checks the parameters that it has, under any spelling', async () => {
    const { rest } = world.gateway;
    for (const query of ['limit=0&_=1', '_=1&page=x', '%6Cimit=0&_=1', 'page=1&page=2&_=1'])
      expect((await rest('GET', `/v1/catalog/credentials?${query}`)).status, query).toBe(400);
    expect((await rest('GET', '/v1/credentials/status?_=1')).body.message).toBe('"coreClaimHash" is missing.');
  });

  it('a public GET of the catalog is cached once for all cache busters, and not for other pages', async () => {
    const { gateway } = world;
    const list = '/v1/catalog/credentials';
    const first = await gateway.rest('GET', `${list}?limit=1&_=0`);
    expect(first.body.data.records).toHaveLength(1);
    expect((await gateway.rest('GET', `${list}?%6Cimit=1&page=2&_=0`)).body.data.records).toEqual([]);
    const answers = new CachedAnswers(gateway);
    const again = async () => {
      for (let at = 0; at < 5; at += 1)
        expect((await gateway.rest('GET', `${list}?limit=1&_=${at}`)).body.data).toEqual(first.body.data);
    };
    expect(await answers.commands(again, again)).toBe(0);
  });
});

describe('An unknown parameter, which may be a misspelt filter,', () => {
  it.each([
    ['of the operator', 'operator', '/v1/admin/issuers?pgae=2', 'pgae'],
    ['of a support query', 'operator', '/v1/admin/issuance-history?holderDID=x', 'holderDID'],
    ['of measurements', 'operator', '/metrics?_=1', '_'],
    ['of a partner', 'issue', '/v1/dstorage/vcs?schemaID=x', 'schemaID'],
    ['of events', 'issue', '/v1/events?type=revoked', 'type'],
    ['of a holder', 'holder', '/v1/holders/me/credentials?schema=x', 'schema'],
  ] as const)(
    '%s is refused with an unknown parameter, which may be a misspelt filter',
    async (_what, caller, path, name) => {
      const { status, body } = await world.gateway.rest('GET', path, { headers: world.headers[caller] });
      expect(body).toEqual({ error: 400, message: `"${name}" is not a query parameter that is known here.` });
      expect(status).toBe(400);
    },
  );

  it('a public POST is refused with an unknown parameter', async () => {
    const body = { from: 'text', to: 'iden3', value: ['level >= 1'] };
    expect((await world.gateway.rest('POST', '/v1/conditions/convert?form=dcql', { body })).status).toBe(400);
  });
});

const DID = ['application/did+json', 'application/did+ld+json', 'application/did', 'application/ld+json'];
/** The media types of a document, by the path of its route; the first is the default. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  '/v1/dids/:did': ['application/json', ...DID],
  '/v1/issuers/:id/did.json': ['application/json', ...DID],
  '/.well-known/jwks.json': ['application/json', 'application/jwk-set+json'],
  '/v1/schemas/:schemaId/versions/:version': ['application/json', 'application/schema+json'],
  '/v1/openapi.json': ['application/json', 'application/openapi+json', 'application/vnd.oai.openapi+json'],
};

/** @returns the media type without parameters, and the text, which fetch's own JSON would hide */
async function fetched(path: string, accept: string) {
  const answer = await fetch(`${world.gateway.url}${paths[path] ?? path}`, { headers: { accept } });
  const type = answer.headers.get('content-type')?.split(';')[0];
  return { status: answer.status, type, headers: answer.headers, text: await answer.text() };
}

describe('A document is served as what the client accepts', () => {
  const cases = Object.entries(TYPES).flatMap(([path, types]) => types.map((type) => [path, type, types[0]] as const));

  it.each(cases)('the document %s is served as %s', async (path, type, usual) => {
    const plain = await fetched(path, '*/*');
    expect(plain).toMatchObject({ status: 200, type: usual });
    for (const accept of [type, `${type};q=0.9, text/html;q=0.1`, `${type}, */*;q=0.1`]) {
      const asked = await fetched(path, accept);
      expect(asked, accept).toMatchObject({ status: 200, type, text: plain.text });
      expect(asked.headers.get('vary')).toMatch(/accept/);
    }
  });

  it('a document is refused only if it has no type that the client accepts', async () => {
    const refused = ['text/csv', 'application/did+cbor', 'application/xml, text/*'];
    for (const accept of refused) expect((await fetched('/v1/dids/:did', accept)).status, accept).toBe(406);
    const served = [
      '',
      '*/*',
      'application/*',
      'application/did+cbor, application/did+json;q=0.1',
      'TEXT/CSV, APPLICATION/DID',
    ];
    for (const accept of served) expect((await fetched('/v1/dids/:did', accept)).status, accept).toBe(200);
    expect((await fetched('/v1/chain', 'application/did+json')).status).toBe(406);
  });
});

describe('A status list', () => {
  const LIST = '/v1/credentials/status-lists/:id';

  it.each([
    '*/*',
    'application/vc+jwt',
    'application/json, text/plain, */*',
    'application/vc;q=0.5, application/vc+jwt',
  ])('a status list is a signed JWT for accept: %s', async (accept) => {
    const { status, type, text } = await fetched(LIST, accept);
    expect([status, type]).toEqual([200, 'application/vc+jwt']);
    expect(text).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const asText = await fetched(LIST, 'text/plain, application/json;q=0.9');
    expect(asText).toMatchObject({ status: 200, type: 'text/plain', text });
  });

  it.each(['application/vc', 'application/json', 'application/ld+json'])(
    'a status list is an enveloped credential for accept: %s, with a tag of its own',
    async (accept) => {
      const jwt = await fetched(LIST, 'application/vc+jwt');
      const { status, type, text, headers } = await fetched(LIST, accept);
      expect([status, type]).toEqual([200, accept]);
      expect(JSON.parse(text)).toEqual({
        '@context': 'https://www.w3.org/ns/credentials/v2',
        id: `data:application/vc+jwt,${jwt.text}`,
        type: 'EnvelopedVerifiableCredential',
      });
      const etag = headers.get('etag') ?? '';
      expect(etag).not.toBe(jwt.headers.get('etag'));
      const ask = (one: string) =>
        world.gateway.rest('GET', paths[LIST] ?? '', { headers: { accept: one, 'if-none-match': etag } });
      expect((await ask(accept)).status).toBe(304);
      expect((await ask('application/vc+jwt')).status).toBe(200);
    },
  );
});

// How the gateway serves its client programs: which pages may have the wallet, and under which policy.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { registerPartner } from '../support/partner.js';

const NAME = '</script><b>"Shop" & co';
const ORIGINS = ['https://shop.example', 'http://shop.localhost:5173'];
/** Texts that the URL standard accepts as origins, and others that would break the policy or allow every page. */
const WRONG_ORIGINS = ['https://a;script-src', 'https://*', 'https://*.a.example', "https://'self'", 'https://a,b'];

let gateway: TestGateway;
let partnerId: string;
beforeAll(async () => {
  gateway = await startGateway({ env: { PUBLIC_URL: 'https://gateway.example' } });
  ({ partnerId } = await registerPartner(gateway));
  const { body } = await gateway.admin('GET', `/v1/admin/partners/${partnerId}`);
  const { jwks, scopes } = body;
  const put = async (allowedOrigins: string[]) =>
    (
      await gateway.admin('PUT', `/v1/admin/partners/${partnerId}`, {
        body: { name: NAME, jwks, scopes, allowedOrigins },
      })
    ).status;
  for (const origin of WRONG_ORIGINS) expect([origin, await put([origin])]).toEqual([origin, 400]);
  expect(await put(ORIGINS)).toBe(200);
});
afterAll(() => gateway.close());

const policyOf = (headers: Headers): string[] => (headers.get('content-security-policy') ?? '').split('; ');
const RULES = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types core',
];

describe('The page of the wallet', () => {
  const open = (query: string) => gateway.rest('GET', `/wallet/${query}`, { headers: { accept: 'text/html' } });

  it("the page of the wallet may be in frames only of the partner's pages, also of isolated ones", async () => {
    const { status, headers } = await open(`?partnerId=${partnerId}`);
    expect(status).toBe(200);
    expect(policyOf(headers)).toEqual([...RULES, `frame-ancestors ${ORIGINS.join(' ')}`]);
    expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('cross-origin-opener-policy')).toBeNull();
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('cache-control')).toBe('no-cache');
  });

  it.each([
    ['a window', () => `?partnerId=${partnerId}&window`],
    ['an unknown partner', () => '?partnerId=00000000-0000-4000-8000-000000000000'],
    ['a partnerId that is none', () => '?partnerId=%27none%27'],
    ['several', () => `?partnerId=${partnerId}&partnerId=${partnerId}`],
    ['no partner', () => ''],
  ])('the page of the wallet may be in no frame for %s', async (_name, query) => {
    const { status, headers } = await open(query());
    expect(status).toBe(200);
    expect(policyOf(headers)).toEqual([...RULES, "frame-ancestors 'none'"]);
  });

  it("the page of the wallet has the configuration as data, whatever a partner's name is", async () => {
    const { body } = await open(`?partnerId=${partnerId}`);
    const data = /<script type="application\/json" id="config">(.*?)<\/script>/.exec(body)?.[1] ?? '';
    const config = await gateway.rest('GET', `/v1/client/config?partnerId=${partnerId}`);
    expect(JSON.parse(data)).toEqual(config.body);
    expect(body).not.toContain('<b>');
  });

  it('the page of the wallet has files that never change, in the encoding that the client accepts', async () => {
    const { body } = await open('');
    const script = /src="(wallet-[^"]+\.js)"/.exec(body)?.[1];
    const get = (encoding: string) =>
      fetch(`${gateway.url}/wallet/${script}`, { headers: { 'accept-encoding': encoding } });
    const plain = readFileSync(`dist/wallet/${script}`, 'utf8');
    for (const [asked, given] of [
      ['gzip, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['identity', null],
    ] as const) {
      const answer = await get(asked);
      expect(answer.headers.get('content-encoding')).toBe(given);
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(policyOf(answer.headers)).toEqual([...RULES, "frame-ancestors 'none'"]);
      expect(await answer.text()).toBe(plain);
    }
    expect((await gateway.rest('GET', '/wallet/files.json')).status).toBe(404);
    expect((await gateway.rest('POST', `/wallet/${script}`)).status).toBe(405);
  });
});

it('pages of every origin may load the module, and need not load it twice', async () => {
  const { status, headers } = await gateway.rest('GET', '/sdk/core.js', { headers: { origin: 'https://any.example' } });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  const again = await fetch(`${gateway.url}/sdk/core.js`, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
  expect(again.status).toBe(304);
});

it('the wallet’s page costs points with an invalid credential, too', async () => {
  const limited = await startGateway({ env: { REQUEST_POINTS: '1' } });
  onTestFinished(() => limited.close());
  const ask = () => limited.rest('GET', '/wallet/', { headers: { accept: 'text/html', authorization: 'x' } });
  const statuses = new Set<number>();
  for (let n = 0; n < 60; n += 1) statuses.add((await ask()).status);
  expect([...statuses]).toEqual([200, 429]);
});

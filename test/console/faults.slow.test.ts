// What the console makes of bad input: texts of every kind, refusals and interruptions, frames, and what it keeps to itself.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM, openPage, serveFolder, startChromium } from '../support/chromium.js';
import { openCutProxy } from '../support/cut-proxy.js';
import { Receiver } from '../webhooks/receiver.js';
import { go, type PartnerConsole, startPartnerConsole, WIDE } from './partner-console.js';

const MARKUP = '<img src=x onerror="document.title=1"><script>document.title=1</script><b>x</b>';
const REVERSED = '\u202egnp.exe \u2067\u200f';
const ADDRESS = 'javascript:document.title=1';
const LONG = 'long '.repeat(2_000).trim();
const HOSTILE = { markup: MARKUP, reversed: REVERSED, address: ADDRESS, long: LONG };
const KINDS = ['credentials', 'issuers', 'schemas', 'programs', 'verifiers'];
/** Ids may be anything that prints. */
const idOf = (name: string): string => (name === 'address' ? ADDRESS : name === 'markup' ? '<b>"id"</b>' : name);

describe.skipIf(CHROMIUM === undefined)('The console with bad input', () => {
  let console: PartnerConsole;
  beforeAll(async () => {
    console = await startPartnerConsole();
    for (const [name, text] of Object.entries(HOSTILE)) await putEntries(console, idOf(name), text);
  });
  afterAll(() => console?.close());

  /** Whether the page took a text for markup or an address, or is wider than its window. */
  async function expectText(page: Page, what: string): Promise<void> {
    expect([what, await page.title()]).not.toEqual([what, '1']);
    expect([what, await page.locator('main img, main script, main b').count()]).toEqual([what, 0]);
    expect([what, await page.locator('a[href^="javascript:" i]').count()]).toEqual([what, 0]);
    expect([what, await page.evaluate(WIDE)]).toEqual([what, []]);
  }

  it.each(Object.keys(HOSTILE))('shows %s as text in every list and on every page of the catalog', async (name) => {
    const { page, faults } = await console.enter({ viewport: { width: 320, height: 640 } });
    for (const kind of KINDS)
      for (const path of [`/${kind}?order=CREATED`, `/${kind}/${encodeURIComponent(idOf(name))}`]) {
        await go(page, path);
        await page.locator('main .lines > li, main .facts, main h2').first().waitFor();
        await page.getByText('Reading …').waitFor({ state: 'detached' });
        await expectText(page, path);
      }
    await go(page, `/programs/${encodeURIComponent(idOf('long'))}`);
    await page.getByRole('button', { name: 'All of it' }).first().click();
    await page.getByText(LONG).waitFor();
    expect(faults).toEqual([]);
  });

  it('shows them as text to partners, in forms, batches, webhooks and what receivers respond', async () => {
    const receiver = await new Receiver().start();
    onTestFinished(() => receiver.stop());
    receiver.answer = (response) => response.writeHead(500).end(MARKUP + REVERSED);
    const { page, faults } = await console.enter({ viewport: { width: 320, height: 640 } });
    for (const name of Object.keys(HOSTILE)) {
      await go(page, `/partner/issue?credentialId=${encodeURIComponent(idOf(name))}`);
      await page.getByRole('button', { name: 'Issue' }).waitFor();
      await expectText(page, `form of ${name}`);
    }
    await go(page, '/partner/batch?credentialId=club-credential');
    const cells = [MARKUP, REVERSED, LONG, '=HYPERLINK(1)'].map((text) => `"${text.replaceAll('"', '""')}",gold,gold`);
    const buffer = Buffer.from(`email,note,credentialSubject.x\n${cells.join('\n')}\n"=1+1",1,\n`);
    await page.getByLabel('The file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
    await page.getByText('1 row can be sent, 4 cannot.').waitFor();
    await expectText(page, 'refused rows');
    await go(page, '/partner/webhooks');
    await page.getByLabel('Address').fill(receiver.url('/<b>hook</b>'));
    await page.getByRole('button', { name: 'Register' }).click();
    const secret = await page.getByText('Its secret, shown only now').locator('code').textContent();
    receiver.secrets.set(new URL(receiver.url('/<b>hook</b>')).pathname, secret ?? '');
    await page.getByRole('link', { name: /127\.0\.0\.1/ }).click();
    await page.getByRole('button', { name: 'Send a test ping' }).click();
    await page.getByText('The ping failed: it responded with 500.').waitFor();
    await page.getByText('what was sent').first().click();
    await page.getByText('onerror').first().waitFor();
    await expectText(page, 'what a receiver responds');
    await page.goBack();
    await page.getByLabel('Address').fill(ADDRESS);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('alert').getByText('“Address”').waitFor();
    expect(await page.getByLabel('Address').inputValue()).toBe(ADDRESS);
    expect(faults).toEqual([]);
  });

  const refusal = (code: string, message: string) => JSON.stringify({ errors: [{ message, extensions: { code } }] });

  it.each([
    ['429', 429, refusal('RATE_LIMITED', 'Too many requests.'), {}, 'Too many requests.'],
    ['429 of a proxy', 429, 'slow down', { 'retry-after': '7' }, 'try again in 7 seconds'],
    ['503', 503, refusal('STORE_UNAVAILABLE', 'The store is away.'), {}, 'The store is away.'],
    ['503 of a proxy', 503, '<h1>Unavailable</h1>', {}, 'The gateway is not ready'],
    ['413 of a proxy', 413, '<h1>Too large</h1>', {}, 'refused with 413'],
  ])('says a %s at the form, which keeps what was typed', async (_name, status, body, headers, sentence) => {
    const { page } = await console.enter();
    await go(page, '/partner/issue?credentialId=club-credential');
    await page.getByLabel('E-mail address of the recipient').fill('kept@example.org');
    await page.getByLabel(/^note/).fill('kept');
    const isData = (url: URL) => url.pathname === '/graphql';
    await page.route(isData, (route) => route.fulfill({ status, body, headers }));
    await page.getByRole('button', { name: 'Issue' }).click();
    await page.locator('form').getByRole('alert').getByText(new RegExp(sentence)).waitFor();
    await page.unroute(isData);
    expect(await page.getByLabel(/^note/).inputValue()).toBe('kept');
    await page.getByRole('button', { name: 'Issue' }).click();
    await page.getByText('It is issued').waitFor();
  });

  it('says at the view which right a partner has lost, and goes on when it has it again', async () => {
    const path = `/v1/admin/partners/${console.partnerId}`;
    const { body: before } = await console.gateway.admin('GET', path);
    const { name, jwks, issuerDids, issueOnBehalf } = before;
    const write = async (scopes: string[]) =>
      expect(
        (await console.gateway.admin('PUT', path, { body: { name, jwks, issuerDids, issueOnBehalf, scopes } })).status,
      ).toBe(200);
    const { page } = await console.enter();
    await write(['verify']);
    onTestFinished(() => write(['issue', 'verify']));
    await page.getByRole('link', { name: 'Batches' }).click();
    const alert = page.getByRole('alert').filter({ hasText: /scope|issue/ });
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Read again' }).click();
        return alert.count();
      })
      .toBeGreaterThan(0);
    await write(['issue', 'verify']);
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Read again' }).click();
        return page.getByText(/\d+ batch(es)?, newest first/).count();
      })
      .toBe(1);
  });

  it('goes on after a stream was cut, without a gap, and says what is no longer stored', async () => {
    const proxy = await openCutProxy(console.gateway.url);
    onTestFinished(() => proxy.close());
    const { page } = await console.enter({}, undefined, new URL(proxy.uri).origin);
    await go(page, '/partner/events');
    await page.getByText('Live: 0 events.').waitFor();
    const lines = page.locator('ol.lines > li');
    await issueOne(console, 'cut1@example.org');
    await expect.poll(() => lines.count()).toBe(2);
    proxy.hold();
    proxy.cut();
    await issueOne(console, 'cut2@example.org');
    await page.getByText('Connecting …').waitFor();
    proxy.release();
    await expect.poll(() => lines.count()).toBe(4);
    expect(await page.getByText('missing').count()).toBe(0);
    // From the first event on, whose successors are gone.
    const log = console.gateway.app.connection.collection('events');
    const [newest] = await log.find().sort({ seq: -1 }).limit(1).toArray();
    await log.deleteMany({ seq: { $lt: newest?.seq } });
    await page.getByRole('link', { name: 'From here on' }).first().click();
    await page.getByText('Events are missing here: they are no longer stored.').waitFor();
    await issueOne(console, 'cut3@example.org');
    await expect.poll(() => page.getByText('submitted').count()).toBe(1);
  });

  it('is in no frame, neither of another origin nor of its own', async () => {
    const server = await serveFolder('test/console/framing', '');
    onTestFinished(() => server.close());
    const browser = await startChromium();
    onTestFinished(() => browser.close());
    for (const host of [server.url, console.gateway.url]) {
      const page = await openPage(browser);
      await page.goto(host);
      await page.evaluate(`{
        const frame = document.createElement('iframe');
        frame.src = ${JSON.stringify(`${console.gateway.url}/console`)};
        window.loaded = new Promise((resolve) => { frame.onload = resolve; });
        document.body.append(frame);
      }`);
      await page.evaluate('window.loaded');
      expect(page.frames().map((frame) => frame.url())).not.toContain(`${console.gateway.url}/console`);
    }
  });

  it('has keys and tokens in no address, storage, text, file or message of its own', async () => {
    for (const isByToken of [false, true]) {
      const { page, sent, logged } = await console.enter({}, isByToken ? await console.token() : undefined);
      for (const path of ['', '/issuances', '/batches', '/revoke', '/events', '/why', '/webhooks']) {
        await go(page, `/partner${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
      }
      console.passTokensTime();
      await page.getByRole('button', { name: 'Register' }).waitFor();
      await go(page, '/partner/issuances');
      await page.getByRole('alert').first().waitFor();
      const kept =
        await page.evaluate(`JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage },
        document.cookie, document.documentElement.outerHTML, performance.getEntries().map(({ name }) => name)])`);
      expect(await page.evaluate('indexedDB.databases().then(({ length }) => length)')).toBe(0);
      expect(await page.evaluate('caches.keys().then(({ length }) => length)')).toBe(0);
      for (const text of [...sent, ...logged, String(kept)]) {
        expect(text).not.toContain(console.secret);
        expect(text).not.toMatch(/eyJ[\w-]+\.eyJ/);
      }
    }
  });
});

/** One entry of each kind, whose texts are this one. */
async function putEntries({ gateway }: PartnerConsole, id: string, text: string): Promise<void> {
  const put = async (path: string, body: object): Promise<void> => {
    const [kind = ''] = path.split('/');
    const answer = await gateway.admin('PUT', `/v1/admin/${kind}/${encodeURIComponent(id)}`, { body });
    expect([path, answer.status, answer.body.message]).toEqual([path, 200, undefined]);
  };
  const name = text.slice(0, 200);
  const point = { name: 'note', title: text.slice(0, 300), type: 'string', description: text.slice(0, 5_000) };
  await put('issuers', { name, issuerFrom: 'test', managed: true });
  await put('verifiers', {
    name,
    verifierDid: `did:web:${encodeURIComponent(text.slice(0, 20)).replaceAll(/[!'()*~]/g, '')}.example`,
  });
  await put('schemas', { title: name, description: text, dataPoints: [{ ...point, isRequired: true }] });
  await put('credentials', { name, category: 'Test', issuerId: id, schemaId: id });
  await put('programs', {
    name,
    description: text,
    pricingModel: 'free',
    verifierId: id,
    acceptedCredentials: [
      { credentialId: id, verificationConditions: [`note == ${JSON.stringify(name.replaceAll('"', "'"))}`] },
    ],
  });
}

/** Issues by the API, as another program of the partner does. */
export async function issueOne({ gateway, token }: PartnerConsole, email: string): Promise<void> {
  const issuer = await gateway.admin('GET', '/v1/admin/issuers/club');
  const { issuerDid } = issuer.body;
  const body = { issuerDid, credentialId: 'club-credential', email, credentialSubject: { note: 'gold' } };
  const headers = { 'x-partner-auth': await token() };
  expect((await gateway.rest('POST', '/v1/credentials/issue-on-behalf', { body, headers })).status).toBe(200);
}
